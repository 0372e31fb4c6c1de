/** What names a row among those of all kinds. */
export const rowKey = (kind: string, id: string): string => `${kind}\n${id}`
