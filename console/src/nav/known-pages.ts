let known: ReadonlySet<string> = new Set()

/** Told by the router when it is made. */
export const setKnownPages = (paths: Iterable<string>) => {
  known = new Set(paths)
}

/** Whether this build has the page. What is not built is absent: from the menu and from the landing rules. */
export const isPageKnown = (path: string) => known.has(path.replace(/^\//, ''))
