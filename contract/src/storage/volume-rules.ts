import { says, type RuleText } from '../core/said'
import { instanceCan, type InstanceFacts } from '../compute/instance-rules'

/** Statuses of a volume (product notes 02 §A3). */
export const volumeStatuses = [
  'creating',
  'available',
  'reserved',
  'attaching',
  'detaching',
  'in-use',
  'maintenance',
  'deleting',
  'awaiting-transfer',
  'error',
  'error_deleting',
  'backing-up',
  'restoring-backup',
  'error_backing-up',
  'error_restoring',
  'error_extending',
  'downloading',
  'uploading',
  'retyping',
  'extending',
  'reverting',
] as const
export type VolumeStatus = (typeof volumeStatuses)[number]

const inProgress = [
  'creating',
  'downloading',
  'attaching',
  'detaching',
  'extending',
  'uploading',
  'retyping',
  'backing-up',
  'restoring-backup',
  'reverting',
  'deleting',
  'maintenance',
  'awaiting-transfer',
]
export const volumeInProgress = ({ status }: { status: string }): boolean => inProgress.includes(status)
export const volumeIsErrored = ({ status }: { status: string }): boolean => status.startsWith('error')

export type VolumeAction = 'attach' | 'detach' | 'extend' | 'rename' | 'delete' | 'clone' | 'uploadToImage'
const allowedIn: Record<VolumeAction, (status: string) => boolean> = {
  attach: (status) => status === 'available',
  detach: (status) => status === 'in-use',
  extend: (status) => status === 'available' || status === 'in-use',
  rename: (status) => !inProgress.includes(status),
  delete: (status) => status === 'available' || status.startsWith('error'),
  clone: (status) => status === 'available' || status === 'in-use',
  uploadToImage: (status) => status === 'available' || status === 'in-use',
}
export const volumeCan = (action: VolumeAction, { status }: { status: string }): boolean => allowedIn[action](status)

/** Returns the error message for an action that `volumeCan` does not currently allow. */
export const whyVolumeNotNow = ({ status }: { status: string }): RuleText => says('storage.volume_not_now', { status })

/** Whether an attached volume can be extended, which requires its instance to be ACTIVE, PAUSED or SHUTOFF (S2§4). */
export const attachedVolumeCanExtend = (instance: InstanceFacts): boolean => instanceCan('resizeDisk', instance)

/**
 * Whether an attached volume can be cloned, which requires its instance to be in a stable state. The clone is
 * crash-consistent.
 */
export const attachedVolumeCanClone = (instance: InstanceFacts): boolean => instanceCan('resizeDisk', instance)
/**
 * Whether an attached volume can become an image, which requires its instance to be shut down, since other instances
 * are created from the image.
 */
export const attachedVolumeCanBeImage = (instance: InstanceFacts): boolean =>
  instance.status === 'SHUTOFF' && instance.task_state === null
