<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/list"><xsl:for-each select="word"><xsl:sort select="."/><xsl:value-of select="concat(., ' ', @id, ' ', string-length(.))"/><xsl:text>
</xsl:text></xsl:for-each><xsl:value-of select="count(word[string-length(.) &gt; 5])"/></xsl:template>
</xsl:stylesheet>
