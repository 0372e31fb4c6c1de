/** File extensions accepted for uploads (S2§5). The extension only suggests a type. */
export const isoExtensions = ['iso'] as const
export const templateExtensions = [
  'aki',
  'ami',
  'ari',
  'img',
  'ploop',
  'qcow2',
  'raw',
  'vdi',
  'vhd',
  'vhdx',
  'vmdk',
] as const
export const diskFormats = ['iso', 'aki', 'ami', 'ari', 'ploop', 'qcow2', 'raw', 'vdi', 'vhd', 'vhdx', 'vmdk'] as const
export type DiskFormat = (typeof diskFormats)[number]

export const extensionOf = (fileName: string): string => /\.([^.]+)$/.exec(fileName)?.[1]?.toLowerCase() ?? ''

/** Returns the image type by file extension, or null if the extension is not accepted. */
export function imageTypeOfFile(fileName: string): 'iso' | 'template' | null {
  const extension = extensionOf(fileName)
  if ((isoExtensions as readonly string[]).includes(extension)) return 'iso'
  return (templateExtensions as readonly string[]).includes(extension) ? 'template' : null
}

/** Returns the disk format by file extension. */
export function formatOfFile(fileName: string): DiskFormat | 'detect' {
  const extension = extensionOf(fileName)
  if (extension === 'img') return 'detect'
  return (diskFormats as readonly string[]).includes(extension) ? (extension as DiskFormat) : 'detect'
}
