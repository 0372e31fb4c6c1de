import { ConsoleIcon, DeleteIcon, EditIcon, RebootIcon, StopIcon } from '../../ui/icons'
import type { MenuAction } from '../../ui/overlays/Menu'

// These strings are samples, not product strings, so they are not in a catalogue.

export const GiB = 1024 ** 3
export const minutesAgo = (minutes: number) => Date.now() - minutes * 60_000
export const load = Array.from({ length: 32 }, (_, index) =>
  index > 12 && index < 16 ? null : 45 + 30 * Math.sin(index / 3) + 12 * Math.cos(index * 1.7),
)
export const publicKey =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl deploy@build-07\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJpQ1nZ6mXk8s9w0bT6yRkqPZ8c deploy@build-08'

export const flavors = [
  { id: 'tiny', label: 'tiny', description: '1 vCPU, 1 GiB memory', end: '12 free' },
  { id: 'small', label: 'small', description: '2 vCPU, 4 GiB memory', end: '6 free' },
  { id: 'medium', label: 'medium', description: '4 vCPU, 8 GiB memory', end: '2 free' },
  { id: 'huge', label: 'huge', description: '64 vCPU, 512 GiB memory', disabledBecause: 'Larger than any node' },
]

export const rowActions: (MenuAction | 'line')[] = [
  { label: 'Open console', icon: ConsoleIcon, run: () => {} },
  { label: 'Stop', icon: StopIcon, run: () => {} },
  { label: 'Reboot', icon: RebootIcon, disabledBecause: 'The instance is being resized' },
  { label: 'Rename', icon: EditIcon, shortcut: 'F2', run: () => {} },
  'line',
  { label: 'Delete', icon: DeleteIcon, isDanger: true, run: () => {} },
]
