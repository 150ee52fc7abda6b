// seed.cc: replaced by the first source of this folder.
