"""written.py: what studies read and write: documents of tare, tables of results, and the page of a study."""
import csv
import os
import re


def rows_of(document, table):
    block = next((block for block in document["blocks"] if block.get("id") == table), None)
    if block is None:
        return []
    names = [column["name"] for column in block["columns"]]
    return [dict(zip(names, row)) for row in block["rows"]]


class Tables:
    """A CSV file for each header; rows are on the disk as soon as they are there."""

    def __init__(self, directory, headers):
        os.makedirs(directory, exist_ok=True)
        self.files = {name: open(f"{directory}/{name}.csv", "w", newline="") for name in headers}
        self.writers = {name: csv.writer(file, lineterminator="\n") for name, file in self.files.items()}
        for name, header in headers.items():
            self.add(name, *header)

    def add(self, name, *cells):
        self.writers[name].writerow("" if cell is None else cell for cell in cells)
        self.files[name].flush()


def read(directory, name):
    with open(f"{directory}/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def fill_page(page, tables):
    with open(page) as file:
        text = file.read()
    for name, table in tables.items():
        text = re.sub(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", lambda found: f"{found[1]}\n{table}\n\n{found[2]}", text, flags=re.DOTALL)
    with open(page, "w") as file:
        file.write(text)


def publish(directory, tables):
    """The study's page where there is one beside the directory; otherwise a file of tables."""
    if os.path.exists(f"{directory}.md"):
        fill_page(f"{directory}.md", tables)
        return
    with open(f"{directory}/tables.md", "w") as file:
        for name, table in tables.items():
            file.write(f"## {name}\n\n{table}\n\n")
