// precompiled.cc: an empty source, because a precompiled header must belong to a target.
