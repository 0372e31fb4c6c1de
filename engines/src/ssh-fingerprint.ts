import { createHash } from 'node:crypto'

/** Returns the SHA-256 fingerprint of a public key as `ssh-keygen -l` prints it. `blob` is the key in base64. */
export const sshFingerprint = (blob: string): string =>
  `SHA256:${createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64').replace(/=+$/, '')}`
