// precompiled.cc: gives the precompiled header a target to belong to.
