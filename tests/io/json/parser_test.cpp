#include "mno/io/json/parser.hpp"

#include <doctest/doctest.h>

#include "io/scratch.hpp"
#include "mno/io/json/writer.hpp"

using namespace mno::io;

TEST_CASE("values of every kind are read") {
  const Json json = parse_json(R"( {"a": [1, -2, 0.5, 1e3, true, false, null], "b": {"c": "d"}, "": []} )");
  REQUIRE(find(json, "a"));
  const JsonList& list = *find(json, "a")->get<JsonList>();
  CHECK(*list[0].get<std::int64_t>() == 1);
  CHECK(*list[1].get<std::int64_t>() == -2);
  CHECK(*list[2].get<double>() == 0.5);
  CHECK(*list[3].get<double>() == 1000);
  CHECK(*list[4].get<bool>());
  CHECK_FALSE(*list[5].get<bool>());
  CHECK(list[6].get<std::nullptr_t>());
  CHECK(*find(*find(json, "b"), "c")->get<std::string>() == "d");
  CHECK(find(json, "")->get<JsonList>()->empty());
  CHECK_FALSE(find(json, "z"));
  CHECK_FALSE(find(list[0], "z"));
}

TEST_CASE("integers are exact as far as 64 bits go, then doubles") {
  CHECK(*parse_json("9223372036854775807").get<std::int64_t>() == std::numeric_limits<std::int64_t>::max());
  CHECK(*parse_json("-9223372036854775808").get<std::int64_t>() == std::numeric_limits<std::int64_t>::min());
  CHECK(*parse_json("9223372036854775808").get<double>() == 0x1p63);
  CHECK(says(refusal([] { parse_json("1e999"); }), "a double cannot hold"));
}

TEST_CASE("escapes and UTF-8 are read") {
  CHECK(*parse_json(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00")").get<std::string>() ==
        "\"\\/\b\f\n\r\tA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(*parse_json(R"("\u0000")").get<std::string>() == std::string(1, '\0'));
  CHECK(*parse_json("\"\xf4\x8f\xbf\xbf\"").get<std::string>() == "\xf4\x8f\xbf\xbf");
}

TEST_CASE("what is not JSON is refused") {
  for (const char* wrong : {"",
                            " ",
                            "{",
                            "}",
                            "[",
                            "[1",
                            "[1,",
                            "[1,]",
                            "[,]",
                            "{\"a\"}",
                            "{\"a\":}",
                            "{\"a\":1,}",
                            "{a:1}",
                            "{'a':1}",
                            "1 2",
                            "[]x",
                            "01",
                            "-",
                            "+1",
                            ".5",
                            "1.",
                            "1e",
                            "1e+",
                            "0x1",
                            "NaN",
                            "Infinity",
                            "-Infinity",
                            "tru",
                            "nul",
                            "True",
                            "\"",
                            "\"\\",
                            "\"\\x\"",
                            "\"\\u12\"",
                            "\"\\u12g4\"",
                            "\"\\u-123\"",
                            "\"\\ud800\"",
                            "\"\\ud800\\u0041\"",
                            "\"\\udc00\"",
                            "\"\n\"",
                            "\"\x80\"",
                            "\"\xc0\x80\"",
                            "\"\xc1\xbf\"",
                            "\"\xe0\x80\x80\"",
                            "\"\xed\xa0\x80\"",
                            "\"\xf0\x80\x80\x80\"",
                            "\"\xf4\x90\x80\x80\"",
                            "\"\xf5\x80\x80\x80\"",
                            "\"\xe2\x82\"",
                            "\"\xff\"",
                            "\xef\xbb\xbf{}",
                            "// c\n1",
                            "[1]//"})
    CHECK_MESSAGE(!refusal([&] { parse_json(wrong); }).empty(), wrong);
  CHECK_THROWS_AS(parse_json(std::string_view("\"\0\"", 3)), mno::Error);
  CHECK(says(refusal([] { parse_json("{\"a\": x}", "file 'h'"); }),
             "mno: file 'h': expected a value at byte 6 of its JSON, found 'x}'"));
  CHECK(says(refusal([] { parse_json(R"({"a": 1, "b": 2, "\u0061": 3})"); }), "found the key 'a' twice"));
}

TEST_CASE("depth and number of values are limited") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(refusal([&] { parse_json(nested(64)); }).empty());
  CHECK(says(refusal([&] { parse_json(nested(66)); }), "at most 64 levels"));
  CHECK_THROWS_AS(parse_json(std::string(1'000'000, '[')), mno::Error);
  CHECK(refusal([] { parse_json("[1,2,3]", "x", {.depth = 1, .values = 4}); }).empty());
  CHECK(says(refusal([] { parse_json("[1,2,3]", "x", {.depth = 1, .values = 3}); }), "at most 3 values"));
}

TEST_CASE("many keys take no quadratic time") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  CHECK(parse_json(text + "}").get<JsonObject>()->size() == 200'000);
}

TEST_CASE("what is written reads back equal") {
  const Json json =
      parse_json(R"({"a":[0,-7,0.1,1e300,5e-324,-0.0,2.0,true,null],"\u0001\"\\\n":{"é😀":""}})");
  CHECK(write_json(json) ==
        "{\"a\":[0,-7,0.1,1e+300,5e-324,-0.0,2.0,true,null],\"\\u0001\\\"\\\\\\u000a\":{\"é😀\":\"\"}}");
  CHECK(parse_json(write_json(json)) == json);
  CHECK_THROWS_AS(write_json({std::numeric_limits<double>::infinity()}), mno::Error);
  CHECK_THROWS_AS(write_json({std::string("\xff")}), mno::Error);
}
