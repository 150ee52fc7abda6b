// seed_test.cc: replaced by the first test of this folder.
#include <gtest/gtest.h>
