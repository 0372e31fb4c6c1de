import { Secret } from '@mainstay/engines/ports/secret'
import { expect, it } from 'vitest'
import { module, openModules } from './module'
import type { CoreTools } from './tools'

it('opens areas in order and closes them in reverse, and collects their tools and secrets', async () => {
  const done: string[] = []
  const opening = (name: string) =>
    module({
      routes: [],
      open({ log }) {
        done.push(`open ${name}`)
        return {
          tools: { [name]: log },
          secrets: async () => [new Secret(name)],
          close: async () => void done.push(`close ${name}`),
        }
      },
    })
  const log = { info: () => undefined }
  const opened = openModules([opening('one'), module({ routes: [] }), opening('two')], { log } as unknown as CoreTools)
  expect(opened.tools).toEqual({ one: log, two: log })
  expect((await opened.secrets()).map((secret) => secret.reveal())).toEqual(['one', 'two'])
  await opened.close()
  expect(done).toEqual(['open one', 'open two', 'close two', 'close one'])
})
