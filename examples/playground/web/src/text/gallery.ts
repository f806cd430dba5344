/** The texts of the list of tools by collection, and of the gallery of bundled tools. */
export const gallery = {
  views: "Tools by collection",
  mine: "Mine",
  published: "Published",
  gallery: "Gallery",
  all: "All",
  browse: "Browse the gallery",
  "mine.none": "You have no tools yet",
  "mine.how":
    "A tool is a few lines of JavaScript and a list of what the code may reach. Write one, or start from a bundled tool.",
  "mine.new": "Write a tool",
  "published.none": "No tool is published",
  "published.how":
    "Chats and MCP clients are offered published tools only. Test a tool of yours, then publish it.",
  "published.open": "Show my tools",
  about:
    "Bundled tools are read-only. Open one to read, test or publish it, or use it as a template for your own.",
  search: "Search the gallery",
  "search.hint": "Search name, description, tag   /",
  categories: "Category",
  every: "All categories",
  template: "Use as a template",
  "template.of": "Use as a template: {name}",
  live: "Published",
  asks: "Asks a person",
  none: "No bundled tool matches",
  clear: "Clear filters",
} as const;
