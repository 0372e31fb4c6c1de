/** An upload without progress for this long is aborted (S1§9). */
export const UPLOAD_TIMEOUT_MS = 60_000
/** Maximum virtual size of an image: 2 TiB. Without a limit, a tiny upload could claim any amount of disk space. */
export const MAX_VIRTUAL_BYTES = 2 * 1024 ** 4

/** Tag on the sample image, from which the console creates a first virtual machine. */
export const SAMPLE_TAG = 'sample-image'

export type ImageStatus =
  | 'queued'
  | 'saving'
  | 'uploading'
  | 'importing'
  | 'active'
  | 'deactivated'
  | 'killed'
  | 'deleted'
  | 'pending_delete'
  | 'error'
export const imageInProgress = (status: string): boolean =>
  ['queued', 'saving', 'uploading', 'creating', 'importing'].includes(status)

/**
 * Returns the reason why an image cannot be deleted now, or null if it can be. Images that are still being imported can
 * be deleted, because an import can take a long time.
 */
export function imageDeleteBlocked(image: { protected: boolean; status: string }): 'protected' | 'busy' | null {
  if (image.protected) return 'protected'
  return imageInProgress(image.status) && image.status !== 'importing' ? 'busy' : null
}

/** Supported distributions: ID, name and family. The IDs are the ones that cloud-init and guests use. */
export const osDistros = [
  { id: 'linux', name: 'Other Linux', os: 'linux' },
  { id: 'debian12', name: 'Debian 12', os: 'linux' },
  { id: 'debian13', name: 'Debian 13', os: 'linux' },
  { id: 'ubuntu22.04', name: 'Ubuntu 22.04', os: 'linux' },
  { id: 'ubuntu24.04', name: 'Ubuntu 24.04', os: 'linux' },
  { id: 'rhel9', name: 'Red Hat Enterprise Linux 9', os: 'linux' },
  { id: 'alma9', name: 'AlmaLinux 9', os: 'linux' },
  { id: 'rocky9', name: 'Rocky Linux 9', os: 'linux' },
  { id: 'centos-stream9', name: 'CentOS Stream 9', os: 'linux' },
  { id: 'fedora', name: 'Fedora', os: 'linux' },
  { id: 'opensuse15', name: 'openSUSE Leap 15', os: 'linux' },
  { id: 'alpine', name: 'Alpine Linux', os: 'linux' },
  { id: 'freebsd', name: 'FreeBSD', os: 'linux' },
  { id: 'win2k19', name: 'Windows Server 2019', os: 'windows' },
  { id: 'win2k22', name: 'Windows Server 2022', os: 'windows' },
  { id: 'win2k25', name: 'Windows Server 2025', os: 'windows' },
  { id: 'win10', name: 'Windows 10', os: 'windows' },
  { id: 'win11', name: 'Windows 11', os: 'windows' },
  { id: 'windows', name: 'Other Windows', os: 'windows' },
  { id: 'iso', name: 'Generic ISO', os: 'linux' },
] as const
export type OsDistro = (typeof osDistros)[number]['id']
