#!/bin/sh
# render.sh <program sample_page> <work>: Chromium draws the sample's page for a phone, a desk and paper, and sorts its
# table. What it reports on the page's console, such as coordinates it cannot read, is a failure. Without Chromium:
# skipped (77).
set -eu
program=$1 work=$2
browser=
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then
    browser=$name
    break
  fi
done
if [ -z "$browser" ]; then
  echo "Skipped: Chromium was not found. On Debian 12, install chromium."
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)

# draw <page> <option>…: fails if the browser does, or reports anything on the console.
draw() {
  page=$1
  shift
  # The sandbox needs rights that containers lack; the page is our own.
  timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --enable-logging=stderr --hide-scrollbars "$@" "file://$page" >"$work/log" 2>&1 || {
    cat "$work/log"
    return 1
  }
  if grep CONSOLE "$work/log"; then return 1; fi
}

# A page that is known to be bad shows that faults are seen at all.
echo '<!DOCTYPE html><svg><path d="M0 0L1 nan"/></svg>' >"$work/bad.html"
if draw "$work/bad.html" --screenshot="$work/bad.png" >"$work/bad.log"; then
  echo "Failed: Chromium did not report the fault of a bad page."
  exit 1
fi
grep -q 'Expected number' "$work/bad.log" || {
  echo "Failed: Chromium failed for another reason than the fault of the bad page:"
  cat "$work/bad.log"
  exit 1
}

"$program" "$work/run"
draw "$work/run/page.html" --window-size=390,3000 --screenshot="$work/phone.png"
draw "$work/run/page.html" --window-size=1280,3000 --screenshot="$work/desk.png"
draw "$work/run/page.html" --print-to-pdf="$work/paper.pdf"
for file in phone.png desk.png paper.pdf; do
  if [ ! -s "$work/$file" ]; then
    echo "Failed: $file was not drawn."
    exit 1
  fi
done

# A click on the head of a column sorts the table by it: the first column of the sample holds the numbers of conditions.
sed 's|</body>|<script>document.querySelector("table.sortable th").click();\
document.title = document.querySelector("table.sortable tbody td").textContent;</script></body>|' \
  "$work/run/page.html" >"$work/click.html"
largest=$(grep -o '<tr><td class="number">[0-9]*</td>' "$work/run/page.html" | grep -o '[0-9]*' | sort -n | tail -n 1)
draw "$work/click.html" --dump-dom
if ! grep -q "<title>$largest</title>" "$work/log"; then
  echo "Failed: the table of the worst conditions did not sort."
  exit 1
fi
