import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal, suiteOf, type CloudUnderTest, type StartCloud } from './cloud'

const publicKey = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOkBU3ydBHvR9CoLDurNuQ4ZLeb+BuOqZl9WjfaWQRS4 ada@laptop'

/** What every engine must do with SSH keys. */
export function describeSshKeys(start: StartCloud): void {
  describe(suiteOf('ssh keys'), () => {
    let cloud: CloudUnderTest
    beforeAll(async () => {
      cloud = await start()
    }, 300_000)
    afterAll(() => cloud.close(), 300_000)

    test('a key is kept with its type and the fingerprint that ssh-keygen prints', async () => {
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
      // clients know keys by their names
      await sshKeys.delete(cloud.member, 'laptop')
      expect(await cloud.row('key', made.id)).toBeNull()
    })

    test('what is no public key is refused at its field', async () => {
      const draft = { name: 'broken', description: '', public_key: 'ssh-ed25519 AAAA' }
      expect(await refusal(cloud.compute.sshKeys.create(cloud.member, draft))).toMatchObject({
        fields: { public_key: [expect.any(String)] },
      })
    })
  })
}
