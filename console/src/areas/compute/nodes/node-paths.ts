const list = '/compute/nodes'
const view = (id: string) => `${list}/${encodeURIComponent(id)}`

/** Paths of the pages of compute nodes. */
export const nodePaths = { list, view, fence: (id: string) => `${view(id)}/fence` }
