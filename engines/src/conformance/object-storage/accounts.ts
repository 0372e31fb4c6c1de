import { ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { refusal } from '../cloud'
import { codeOf, describeObjectStorageSuite, type StartObjectStorage } from './fixture'

const KiB = 1024

/** Conformance tests for creating, listing, disabling and enabling S3 accounts. */
export function describeS3Accounts(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 accounts', start, (it) => {
    test('creates an account on first use, and returns the same account afterwards', async () => {
      const made = await it.port.account(it.people.me, true)
      expect(made).toMatchObject({ ...it.people.me, arn: `arn:aws:iam:::user/${it.people.me.user_id}`, enabled: true })
      expect(await it.port.account(it.people.me, false)).toEqual(made)
      expect(await it.port.account({ user_id: 'nobody', domain_id: 'nowhere' }, false)).toBeNull()
      expect(await refusal(it.port.createKey('nobody', null))).toMatchObject({ code: 'not_found' })
      expect(await refusal(it.port.updateAccount('nobody', { enabled: false }))).toMatchObject({ code: 'not_found' })
    })

    test('lists accounts by ID, for one domain or all domains, in pages', async () => {
      for (const owner of [it.people.me, it.people.other]) await it.port.account(owner, true)
      const ids = async (domain: string | null, marker?: string, count = 100) =>
        (await it.port.accounts(domain, marker, count)).map(({ user_id }) => user_id)
      const both = [it.people.me.user_id, it.people.other.user_id].sort()
      expect(await ids(null)).toEqual(both)
      expect(await ids(null, undefined, 1)).toEqual([both[0]])
      expect(await ids(null, both[0], 1)).toEqual([both[1]])
      expect(await ids(it.people.me.domain_id)).toEqual([it.people.me.user_id])
    })

    test('the keys of a disabled account stop working until it is enabled again', async () => {
      const { user_id } = it.people.me
      await it.port.account(it.people.me, true)
      const key = await it.port.createKey(user_id, 'a program')
      const program = await it.program(key)
      const look = () => codeOf(program.send(new ListBucketsCommand({})))
      expect(await look()).toBe('good')
      expect(await it.port.updateAccount(user_id, { enabled: false })).toMatchObject({ enabled: false })
      expect(await it.port.barrierOf(it.people.me)).toBe('account')
      expect(await look()).not.toBe('good')
      expect(await it.port.updateAccount(user_id, { enabled: true })).toMatchObject({ enabled: true })
      expect(await it.port.barrierOf(it.people.me)).toBeNull()
      expect(await look()).toBe('good')
      await it.port.deleteKey(user_id, key.acc_key)
    })
  })
}

/** Conformance tests for access keys of programs, and for the console's hidden key. */
export function describeS3Keys(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 keys', start, (it) => {
    const keysOf = async () => (await it.port.account(it.people.me, true))!.keys

    test('a key grants access to the buckets of its owner, shows its secret once, and is listed by name', async () => {
      await keysOf()
      const { sec_key, ...key } = await it.port.createKey(it.people.me.user_id, 'backup')
      expect(sec_key.length).toBeGreaterThan(30)
      expect(await keysOf()).toEqual([key])
      expect(key).toMatchObject({ name: 'backup', enabled: true })
      const bucket = await it.bucket()
      const { Buckets } = await (await it.program({ ...key, sec_key })).send(new ListBucketsCommand({}))
      expect(Buckets!.map(({ Name }) => Name)).toContain(bucket)
      const named = await it.port.updateKey(it.people.me.user_id, key.acc_key, { name: 'nightly' })
      expect(named).toMatchObject({ acc_key: key.acc_key, name: 'nightly' })
      expect(await keysOf()).toMatchObject([{ name: 'nightly' }])
      await it.port.deleteKey(it.people.me.user_id, key.acc_key)
    })

    test('a deleted key stops working, and cannot be deleted twice', async () => {
      const key = await it.port.createKey(it.people.me.user_id, null)
      const program = await it.program(key)
      expect(await codeOf(program.send(new ListBucketsCommand({})))).toBe('good')
      await it.port.deleteKey(it.people.me.user_id, key.acc_key)
      expect(await codeOf(program.send(new ListBucketsCommand({})))).toBe('InvalidAccessKeyId')
      expect(await keysOf()).toEqual([])
      const again = it.port.deleteKey(it.people.me.user_id, key.acc_key)
      expect(await refusal(again)).toMatchObject({ code: 'not_found' })
    })

    test('limits an account to two keys, not counting the hidden console key', async () => {
      const signer = await it.port.signer(it.people.me)
      const made = [
        await it.port.createKey(it.people.me.user_id, null),
        await it.port.createKey(it.people.me.user_id, null),
      ]
      expect(await refusal(it.port.createKey(it.people.me.user_id, null))).toMatchObject({ code: 'key_limit' })
      expect((await keysOf()).map((key) => key.acc_key)).not.toContain(signer.accessKey)
      expect(await it.port.signer(it.people.me)).toEqual(signer)
      const hidden = it.port.deleteKey(it.people.me.user_id, signer.accessKey)
      expect(await refusal(hidden)).toMatchObject({ code: 'not_found' })
      for (const { acc_key } of made) await it.port.deleteKey(it.people.me.user_id, acc_key)
    })

    test('enforces the limit of two keys under concurrent requests', async () => {
      const tries = Array.from({ length: 5 }, () => it.port.createKey(it.people.me.user_id, null))
      const outcomes = await Promise.allSettled(tries)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
      for (const { acc_key } of await keysOf()) await it.port.deleteKey(it.people.me.user_id, acc_key)
    })

    test('does not find a key of another account', async () => {
      await it.port.account(it.people.other, true)
      const { acc_key } = await it.port.createKey(it.people.me.user_id, null)
      const { user_id } = it.people.other
      expect(await refusal(it.port.updateKey(user_id, acc_key, { name: 'mine' }))).toMatchObject({ code: 'not_found' })
      expect(await refusal(it.port.deleteKey(user_id, acc_key))).toMatchObject({ code: 'not_found' })
      await it.port.deleteKey(it.people.me.user_id, acc_key)
    })

    test('signs links only with a key of the same user, never with the hidden key', async () => {
      const { user_id } = it.people.me
      const { acc_key, sec_key } = await it.port.createKey(user_id, null)
      expect(await it.port.ownSigner(user_id, acc_key)).toEqual({ accessKey: acc_key, secretKey: sec_key })
      const { accessKey: hidden } = await it.port.signer(it.people.me)
      await it.port.account(it.people.other, true)
      for (const [owner, key] of [
        [it.people.other.user_id, acc_key],
        [user_id, hidden],
        [user_id, 'unknown'],
      ] as const)
        expect(await refusal(it.port.ownSigner(owner, key))).toMatchObject({ code: 'not_found' })
      await it.port.deleteKey(user_id, acc_key)
    })

    test('disables and enables a key, or returns an unsupported error', async () => {
      const key = await it.port.createKey(it.people.me.user_id, null)
      const program = await it.program(key)
      const look = () => codeOf(program.send(new ListBucketsCommand({})))
      const set = (enabled: boolean) => it.port.updateKey(it.people.me.user_id, key.acc_key, { enabled })
      if ((await it.port.service()).capabilities.disabling_keys) {
        expect(await set(false)).toMatchObject({ enabled: false })
        expect(await look()).toBe('InvalidAccessKeyId')
      } else expect(await refusal(set(false))).toMatchObject({ code: 'unsupported' })
      expect(await set(true)).toMatchObject({ enabled: true })
      expect(await look()).toBe('good')
      await it.port.deleteKey(it.people.me.user_id, key.acc_key)
    })
  })
}

/** Conformance tests for usage and quotas. */
export function describeS3Quotas(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 quotas and usage', start, (it) => {
    const put = (Bucket: string, Key: string, bytes: number) =>
      codeOf(it.mine.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(bytes) })))
    const usage = async () => (await it.port.account(it.people.me, true))!.usage

    test('reports current usage', async () => {
      const before = await usage()
      const bucket = await it.bucket()
      expect(await put(bucket, 'a', 10_000)).toBe('good')
      expect(await put(bucket, 'b', 5)).toBe('good')
      expect(await put(bucket, 'b', 7)).toBe('good')
      const { buckets, objects, size } = before
      expect(await usage()).toEqual({ buckets: buckets + 1, objects: objects + 2, size: size + 10_007 })
    })

    test('refuses uploads that exceed the quota, and accepts them without a quota', async () => {
      const { user_id } = it.people.me
      const bucket = await it.bucket()
      const { size } = await usage()
      expect(await it.port.updateAccount(user_id, { quota: size + 512 * KiB })).toMatchObject({
        quota: size + 512 * KiB,
      })
      expect(await put(bucket, 'too large', 600 * KiB)).toBe('QuotaExceeded')
      expect(await put(bucket, 'first', 300 * KiB)).toBe('good')
      // a gateway updates its usage with a delay
      await expect.poll(() => put(bucket, 'second', 300 * KiB)).toBe('QuotaExceeded')
      expect(await it.port.updateAccount(user_id, { quota: null })).toMatchObject({ quota: null })
      expect(await put(bucket, 'second', 300 * KiB)).toBe('good')
    })

    test('a quota of zero blocks all uploads, and survives other changes to the account', async () => {
      const { user_id } = it.people.me
      const bucket = await it.bucket()
      await it.port.updateAccount(user_id, { quota: 0 })
      expect(await it.port.updateAccount(user_id, { enabled: true })).toMatchObject({ quota: 0 })
      expect(await put(bucket, 'a', 1)).toBe('QuotaExceeded')
      await it.port.updateAccount(user_id, { quota: null })
    })
  })
}

/** Conformance tests for disabling and enabling domains and the whole service. */
export function describeS3Switches(start: StartObjectStorage): void {
  describeObjectStorageSuite('S3 switches', start, (it) => {
    async function programs() {
      const made = await Promise.all(
        [it.people.me, it.people.other].map(async (owner) => {
          await it.port.account(owner, true)
          const key = await it.port.createKey(owner.user_id, null)
          return { owner, key, program: await it.program(key) }
        }),
      )
      return {
        look: () =>
          Promise.all(
            made.map(async ({ program }) => (await codeOf(program.send(new ListBucketsCommand({})))) === 'good'),
          ),
        drop: async () => {
          for (const { owner, key } of made) await it.port.deleteKey(owner.user_id, key.acc_key)
        },
      }
    }

    test('keys of a disabled domain stop working, and those of other domains keep working', async () => {
      const { look, drop } = await programs()
      const { domain_id } = it.people.me
      expect(await it.port.isDomainEnabled(domain_id)).toBe(true)
      await it.port.setDomainEnabled(domain_id, false)
      expect(await it.port.isDomainEnabled(domain_id)).toBe(false)
      expect(await it.port.barrierOf(it.people.me)).toBe('domain')
      expect(await look()).toEqual([false, true])
      await it.port.setDomainEnabled(domain_id, true)
      expect(await look()).toEqual([true, true])
      await drop()
    })

    test('enabling a domain does not enable disabled accounts', async () => {
      const { look, drop } = await programs()
      const { domain_id, user_id } = it.people.me
      await it.port.updateAccount(user_id, { enabled: false })
      await it.port.setDomainEnabled(domain_id, false)
      await it.port.setDomainEnabled(domain_id, true)
      expect(await look()).toEqual([false, true])
      await it.port.updateAccount(user_id, { enabled: true })
      expect(await look()).toEqual([true, true])
      await drop()
    })

    test('disables object storage for all users, and enables it again without data loss', async () => {
      const { look, drop } = await programs()
      const bucket = await it.bucket()
      await it.port.setAvailable(false)
      expect(await look()).toEqual([false, false])
      expect(it.port.upstream()).toBeNull()
      expect(await it.port.service()).toMatchObject({ s3_enabled: false, state: 'absent', endpoint: null })
      await it.port.setAvailable(true)
      expect(await look()).toEqual([true, true])
      expect(await it.port.service()).toMatchObject({ s3_enabled: true, state: 'healthy', detail: null })
      const { Buckets } = await it.mine.send(new ListBucketsCommand({}))
      expect(Buckets!.map(({ Name }) => Name)).toContain(bucket)
      await drop()
    })
  })
}
