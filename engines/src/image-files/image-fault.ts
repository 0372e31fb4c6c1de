export type ImageFaultCode =
  | 'image_format_unsupported'
  | 'image_backing_file'
  | 'image_external_data'
  | 'image_encrypted'
  | 'image_too_large'
  | 'image_truncated'
  | 'disk_full'

/** An image that must not be kept; `message` is for people. */
export class ImageFault extends Error {
  readonly code: ImageFaultCode
  constructor(code: ImageFaultCode, message: string) {
    super(message)
    this.name = 'ImageFault'
    this.code = code
  }
}
