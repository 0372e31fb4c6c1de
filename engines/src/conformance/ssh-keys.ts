import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal, suiteOf, type CloudUnderTest, type StartCloud } from './cloud'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'

/** Conformance tests for SSH keys. */
export function describeSshKeys(start: StartCloud): void {
  describe(suiteOf('ssh keys'), () => {
    let cloud: CloudUnderTest
    beforeAll(async () => {
      cloud = await start()
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    test('stores a key with its type and the fingerprint that ssh-keygen prints', async () => {
      const { sshKeys } = cloud.compute
      const draft = { name: 'laptop', description: 'Mine', public_key: `  ${publicKey}\n` }
      const made = await sshKeys.create(cloud.member, draft)
      expect(made).toMatchObject({
        name: 'laptop',
        type: 'ed25519',
        public_key: publicKey,
        weak: false,
        fingerprint: 'SHA256:BN2XSKQzgAgLEVSs0B00VODE8WUFXSi6YBj29YJUmUE',
        user_id: cloud.member.user_id,
      })
      // clients identify keys by name
      await sshKeys.delete(cloud.member, 'laptop')
      expect(await cloud.row('key', made.id)).toBeNull()
    })

    test('refuses an invalid public key with a field error', async () => {
      const draft = { name: 'broken', description: '', public_key: 'ssh-ed25519 AAAA' }
      expect(await refusal(cloud.compute.sshKeys.create(cloud.member, draft))).toMatchObject({
        fields: { public_key: [expect.any(String)] },
      })
    })
  })
}
