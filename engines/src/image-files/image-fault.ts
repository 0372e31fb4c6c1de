export const imageFaultCodes = [
  'image_format_unsupported',
  'image_backing_file',
  'image_external_data',
  'image_encrypted',
  'image_too_large',
  'image_truncated',
  'disk_full',
] as const
/** `not_configured`: nothing on this machine may look at it. */
export type ImageFaultCode = (typeof imageFaultCodes)[number] | 'not_configured'

/** An image that must not be kept; `message` is for people. */
export class ImageFault extends Error {
  readonly code: ImageFaultCode
  constructor(code: ImageFaultCode, message: string) {
    super(message)
    this.name = 'ImageFault'
    this.code = code
  }
}

/** `message` says more than that, where more is known. */
export const diskFull = (
  message = 'The storage for disks is full. Delete what you do not need, or have more space added',
) => new ImageFault('disk_full', message)
