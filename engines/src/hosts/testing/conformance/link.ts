import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NodeLink } from '../../node-link'
import { NO_FILE } from '../../node-link'

/** Conformance tests for links to hosts. `open` connects to a host where `/tmp` is writable. */
export function linkConformance(name: string, open: () => Promise<NodeLink>): void {
  describe(`a link to a host (${name})`, () => {
    let link: NodeLink
    let file = ''
    beforeEach(async () => {
      link = await open()
      file = `/tmp/mainstay-link-${randomUUID()}`
    })
    afterEach(async () => {
      if (!link.lost.aborted) {
        await link.run(['rm', '-f', file])
        await link.close()
      }
    })

    /** the brackets prevent the search from finding its own process */
    const processesWith = async (mark: string) => {
      const search = 'grep -als -- "$1" /proc/[0-9]*/cmdline'
      return (await link.run(['sh', '-c', search, 'sh', `[${mark[0]}]${mark.slice(1)}`])).out
    }

    it('runs a program, and returns its exit status and both outputs', async () => {
      expect(await link.run(['sh', '-c', 'echo out; echo err >&2; exit 7'])).toEqual({
        ...{ status: 7, out: 'out\n', err: 'err\n' },
      })
    })

    it('passes arguments unchanged', async () => {
      const words = ['$HOME', 'two words', "'", '"', '*', 'ä', '-n', '']
      expect((await link.run(['printf', '%s|', ...words])).out).toBe(words.map((word) => `${word}|`).join(''))
    })

    it('passes standard input of any size, and closes it', async () => {
      const input = 'ä line\n'.repeat(200_000)
      const { out } = await link.run(['wc', '-c'], { input })
      expect(Number(out)).toBe(Buffer.byteLength(input))
      expect((await link.run(['cat'])).out).toBe('')
    })

    it('returns whole characters even if a packet boundary splits them', async () => {
      const input = 'aä€😀'.repeat(100_000)
      expect((await link.run(['cat'], { input })).out === input).toBe(true)
    })

    it('returns 127 for a program that is not installed, and the number of a signal above 128', async () => {
      expect((await link.run(['no-such-program'])).status).toBe(127)
      expect((await link.run(['sh', '-c', 'kill -KILL $$'])).status).toBe(137)
    })

    it('runs programs with the C locale and the sbin folders in the path', async () => {
      const { out } = await link.run(['sh', '-c', 'echo "$LC_ALL:$PATH:"'])
      expect(out).toMatch(/^C:/)
      expect(out).toContain(':/usr/sbin:')
    })

    it('runs many programs at once', async () => {
      const all = await Promise.all(Array.from({ length: 50 }, (_, n) => link.run(['echo', `${n}`])))
      expect(all.map(({ out }) => Number(out))).toEqual(Array.from({ length: 50 }, (_, n) => n))
    })

    it('stops a program that prints too much', async () => {
      await expect(link.run(['cat', '/dev/zero'], { most: 100_000 })).rejects.toMatchObject({ reason: 'too_long' })
      expect((await link.run(['echo', 'on'])).out).toBe('on\n')
    })

    it('stops a program that exceeds its time limit', async () => {
      const mark = randomUUID()
      const hanging = link.run(['sh', '-c', `sleep 300; : ${mark}`], { withinMs: 500 })
      await expect(hanging).rejects.toMatchObject({ reason: 'timeout', code: 'node_unreachable' })
      await expect.poll(() => processesWith(mark)).toBe('')
    })

    it('stops a program when the caller cancels', async () => {
      const mark = randomUUID()
      const cancel = new AbortController()
      const hanging = link.run(['sh', '-c', `sleep 300; : ${mark}`], { signal: cancel.signal })
      await expect.poll(() => processesWith(mark)).not.toBe('')
      cancel.abort(new Error('cancelled by the caller'))
      await expect(hanging).rejects.toThrow('cancelled by the caller')
      await expect.poll(() => processesWith(mark)).toBe('')
    })

    it('creates, reads, replaces and deletes a file', async () => {
      expect(await link.read(file)).toBeNull()
      const first = await link.replace(file, 'one\n', NO_FILE)
      expect(await link.read(file)).toEqual({ text: 'one\n', tag: first })
      await link.run(['chmod', '640', file])
      const second = await link.replace(file, 'two ä\n', first)
      expect(second).not.toBe(first)
      expect(await link.read(file)).toEqual({ text: 'two ä\n', tag: second })
      expect((await link.run(['stat', '-c', '%a', file])).out).toBe('640\n')
      expect(await link.replace(file, null, second)).toBe(NO_FILE)
      expect(await link.read(file)).toBeNull()
    })

    it('refuses to replace a file that was changed in the meantime', async () => {
      const tag = await link.replace(file, 'one\n', NO_FILE)
      await link.run(['sh', '-c', `echo other >${file}`])
      for (const stale of [tag, NO_FILE])
        for (const text of ['two\n', null])
          await expect(link.replace(file, text, stale)).rejects.toMatchObject({
            ...{ code: 'conflict', said: { key: 'infrastructure.file_changed' } },
          })
      expect((await link.read(file))?.text).toBe('other\n')
    })

    it('lets one of several writers replace a file', async () => {
      const tag = await link.replace(file, 'start\n', NO_FILE)
      const all = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => link.replace(file, `writer ${n}\n`, tag)),
      )
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })

    it('names the reason if a file cannot be read or written', async () => {
      await expect(link.read('/tmp')).rejects.toThrow('Is a directory')
      await expect(link.replace('/proc/version', 'x', NO_FILE)).rejects.toMatchObject({ code: 'conflict' })
    })

    it('reports the name of the host and the rights of the platform on it', async () => {
      expect(link.hostname).toBe((await link.run(['uname', '-n'])).out.trim())
      const asRoot = link.run(['id', '-u'], { asRoot: true })
      if (link.rights === 'none')
        await expect(asRoot).rejects.toMatchObject({ said: { key: 'infrastructure.host_needs_root' } })
      else expect((await asRoot).out).toBe('0\n')
    })

    it('stops running programs and reports the loss when it is closed', async () => {
      const hanging = link.run(['sleep', '300'])
      await Promise.all([expect(hanging).rejects.toMatchObject({ reason: 'closed' }), link.close()])
      expect(link.lost.aborted).toBe(true)
      await expect(link.run(['true'])).rejects.toMatchObject({ reason: 'closed' })
    })
  })
}
