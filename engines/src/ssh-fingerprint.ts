import { createHash } from 'node:crypto'

/** The fingerprint of a public key, of which `blob` is the base64, as `ssh-keygen -l` prints it. */
export const sshFingerprint = (blob: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64').replace(/=+$/, '')}`
