import { createServer, type AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { newDataFolder } from '../../testing/data-folder'
import { removeData, spawnProgram } from '../../testing/server-program'

const folders: string[] = []
async function newFolder(): Promise<string> {
  const folder = await newDataFolder()
  folders.push(folder)
  return folder
}
afterEach(async () => {
  for (const folder of folders.splice(0)) await removeData(folder)
})

it('reports that the S3 port is in use', { tags: 'all' }, async () => {
  const taken = createServer()
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
  const { port } = taken.address() as AddressInfo
  const program = spawnProgram({ folder: await newFolder(), environment: { MAINSTAY_S3_PORT: String(port) } })
  try {
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.said()).toContain(
      `Port ${port} on 127.0.0.1 is in use by another program. Choose another port with MAINSTAY_S3_PORT.`,
    )
  } finally {
    taken.close()
  }
})
