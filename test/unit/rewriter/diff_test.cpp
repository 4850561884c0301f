#include "cuprewrite/rewriter/diff.h"

#include <catch2/catch.hpp>

using namespace cupr::rewrite;

TEST_CASE("Equal texts have no diff") { CHECK(unifiedDiff("a\nb\n", "a\nb\n", 0, "x", "y").empty()); }

TEST_CASE("Lines in front, changed ones and lines behind are one hunk when they are near") {
  CHECK(unifiedDiff("a\nb\nc\n", "head\na\nB\nc\ntail\n", 1, "x", "y") ==
        "--- x\n+++ y\n@@ -1,3 +1,5 @@\n+head\n a\n-b\n+B\n c\n+tail\n");
}

TEST_CASE("Changes that are far apart are hunks of their own") {
  const std::string original = "A\n1\n2\n3\n4\n5\n6\n7\nB\n", copy = "a\n1\n2\n3\n4\n5\n6\n7\nb\n";
  CHECK(unifiedDiff(original, copy, 0, "x", "y") ==
        "--- x\n+++ y\n@@ -1,4 +1,4 @@\n-A\n+a\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-B\n+b\n");
  // One line less between them, and the contexts touch.
  CHECK(unifiedDiff("A\n1\n2\n3\n4\n5\n6\nB\n", "a\n1\n2\n3\n4\n5\n6\nb\n", 0, "x", "y") ==
        "--- x\n+++ y\n@@ -1,8 +1,8 @@\n-A\n+a\n 1\n 2\n 3\n 4\n 5\n 6\n-B\n+b\n");
}

TEST_CASE("A missing end of line is marked on its side") {
  CHECK(unifiedDiff("a", "a\nb\n", 0, "x", "y") ==
        "--- x\n+++ y\n@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n");
}

TEST_CASE("An empty original has no first line") {
  CHECK(unifiedDiff("", "a\n", 1, "x", "y") == "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
}
