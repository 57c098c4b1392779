// What all pages do: read their data, copy the command, hand the data out as files.

const byId = (id) => document.getElementById(id);
const report = JSON.parse(byId("report").textContent);

/** A new element with a class and text. */
function element(name, className, text) {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Copies a text; where the browser has no clipboard for pages from a disk, by way of a selection. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function download(name, text, type) {
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

byId("copy").addEventListener("click", async (event) => {
  await copy(byId("command").textContent);
  event.target.textContent = "copied";
});

for (const button of document.querySelectorAll("[data-download]")) {
  const name = button.dataset.download;
  const value = name === "report" ? report : report[name];
  button.hidden = value === undefined || value.length === 0;
  button.addEventListener("click", () => download(`${name}.json`, JSON.stringify(value, null, 2) + "\n", "application/json"));
}

for (const button of document.querySelectorAll("[data-file]")) {
  const name = button.dataset.file;
  button.addEventListener("click", () => download(name, JSON.parse(byId("files").textContent)[name], "text/plain"));
}
