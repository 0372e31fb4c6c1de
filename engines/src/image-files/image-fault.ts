export const imageFaultCodes = [
  'image_format_unsupported',
  'image_backing_file',
  'image_external_data',
  'image_encrypted',
  'image_too_large',
  'image_truncated',
  'disk_full',
  'disk_in_use',
] as const
/** `not_configured`: no worker can run on this host. */
export type ImageFaultCode = (typeof imageFaultCodes)[number] | 'not_configured'

/** Thrown for an unacceptable image. `message` is for users. */
export class ImageFault extends Error {
  readonly code: ImageFaultCode
  constructor(code: ImageFaultCode, message: string) {
    super(message)
    this.name = 'ImageFault'
    this.code = code
  }
}

/** Returns the fault for a disk that another process has open. */
export const diskInUse = (message = 'The disk is in use') => new ImageFault('disk_in_use', message)
export const noSuchSnapshot = (message = 'The disk does not contain the snapshot') =>
  new ImageFault('image_truncated', message)

/** Returns the fault for a full disk. `message` replaces the default text with a more specific one. */
export const diskFull = (
  message = 'The disk storage is full. Delete data that you do not need, or ask for more space',
) => new ImageFault('disk_full', message)
