"""hmmer2_headers.py: the headers of HMMER 2 and its library that configure would make."""


def headers(sources):
    """Names and texts."""
    squid, made = f"{sources}/biosquid", {}
    for origin in (f"{squid}/squid.h.in", f"{squid}/squidconf.h.in", f"{sources}/hmmer2/src/config.h.in"):
        with open(origin) as file:
            text = file.read()
        for bits, type_name in (("16", "unsigned short"), ("32", "unsigned int"), ("64", "unsigned long")):
            text = text.replace(f"@SQD_UINT{bits}@", type_name)
        for stem in ("SQUID", "PACKAGE"):
            for part in ("NAME", "VERSION", "DATE", "COPYRIGHT", "LICENSE"):
                text = text.replace(f"#undef {stem}_{part}", f'#define {stem}_{part} ""')
        for macro in ("NTOHS", "NTOHL", "HTONS", "HTONL", "STRTOUL", "STRTOULL", "FTELLO", "FSEEKO"):
            text = text.replace(f"#undef HAVE_{macro}", f"#define HAVE_{macro} 1")
        made[origin.rsplit("/", 1)[1].removesuffix(".in")] = text
    return made
