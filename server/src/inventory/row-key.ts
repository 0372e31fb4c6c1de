/** Key that identifies a row across kinds. */
export const rowKey = (kind: string, id: string): string => `${kind}\n${id}`
