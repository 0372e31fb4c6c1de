import type { ImageDraft } from '@mainstay/contract/compute/images'

/** Encodes text as base64 of its UTF-8 bytes, since headers must be ASCII. */
function base64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}

/** HTTP headers that carry the image properties, since the request body is the file. Empty values are omitted. */
export function headersOf(draft: ImageDraft): Record<string, string> {
  return {
    'x-hci-image-name': base64(draft.name),
    ...(draft.description && { 'x-hci-image-description': base64(draft.description) }),
    'x-hci-image-disk-format': draft.disk_format,
    'x-hci-image-container-format': 'bare',
    'x-hci-image-os-distro': draft.os_distro,
    'x-hci-image-protected': String(draft.protected),
    'x-hci-image-visibility': draft.visibility,
    'x-hci-image-hw-firmware-type': draft.hw_firmware_type,
    'x-hci-image-os-secure-boot': String(draft.os_secure_boot),
    ...(draft.hw_tpm_version && { 'x-hci-image-hw-tpm-version': draft.hw_tpm_version }),
    'x-hci-image-min-disk': String(draft.min_disk),
    'x-hci-image-min-ram': String(draft.min_ram),
    ...(draft.tags.length > 0 && { 'x-hci-image-tags': base64(JSON.stringify(draft.tags)) }),
  }
}
