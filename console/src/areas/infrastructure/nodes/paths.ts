const list = '/nodes'

/** Paths of the node pages. */
export const nodePaths = {
  list: () => list,
  add: () => `${list}/add`,
  view: (id: string) => `${list}/${encodeURIComponent(id)}`,
  maintenance: (id: string) => `${list}/${encodeURIComponent(id)}/maintenance`,
  reinstall: (id: string) => `${list}/${encodeURIComponent(id)}/reinstall`,
  tab: (id: string, tab: string) => `${list}/${encodeURIComponent(id)}/${tab}`,
}
