/** Fields that hold a secret: they are in no code that is shown, and in no draft that is kept. */
export const secretName = /password|secret|private_key|passphrase|community|^psk$/i
