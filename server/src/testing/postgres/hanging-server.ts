import process from 'node:process'
import { createInventory } from '../../inventory/inventory'
import { joinServers } from '../../store/servers'
import { openStore } from '../../store/store'
import { createTasks } from '../../tasks/tasks'
import { silentLogger } from '../silent-logger'

// A server that starts jobs and never completes them, for specs that kill it. Arguments: `<database> <replica>`.
async function run(): Promise<void> {
  const [, , databaseUrl = '', replica = ''] = process.argv
  const store = await openStore({ databaseUrl, dataFolder: '/nowhere', log: silentLogger })
  const inventory = await createInventory({ store, log: silentLogger })
  const server = await joinServers({ connection: store.connection, log: silentLogger, replica })
  const tasks = createTasks({ store, inventory, log: silentLogger, server })
  tasks.handle('hang', { run: () => new Promise(() => undefined) })
  await tasks.start()
  process.stdout.write('ready\n')
}

void run()
