/**
 * The folders in the embedded engine, with the folders that they may import. Each imports only folders above it in this
 * table, so there are no cycles. `base` stands for the files outside these folders.
 */
export const embeddedFolders: Readonly<Record<string, readonly string[]>> = {
  base: [],
  rows: ['base'],
  dataplane: [],
  qemu: ['base', 'dataplane'],
  simulated: ['base'],
  networking: ['base', 'rows'],
  vpn: ['base', 'networking'],
  compute: ['base', 'rows', 'networking'],
  'load-balancing': ['base', 'networking', 'compute'],
  carrier: ['base', 'networking', 'vpn', 'load-balancing'],
  storage: ['base', 'rows', 'networking', 'compute'],
  areas: ['base', 'rows', 'dataplane', 'networking', 'vpn', 'compute', 'load-balancing', 'carrier', 'storage'],
  identity: ['networking'],
  worlds: ['base', 'rows', 'simulated', 'networking', 'compute', 'identity'],
}
