# packaging: install rules and the .deb.
