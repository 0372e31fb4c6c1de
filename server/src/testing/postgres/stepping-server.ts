import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JobRun, Step } from '@mainstay/engines/ports/records'
import { createInventory } from '../../inventory/inventory'
import { joinServers } from '../../store/servers'
import { openStore } from '../../store/store'
import { createTasks } from '../../tasks/tasks'
import { silentLogger } from '../silent-logger'

// A server that runs stepped jobs and records each action in a table, for specs that kill it. Arguments: `<database>
// <replica>`.
async function run(): Promise<void> {
  const [, , databaseUrl = '', replica = ''] = process.argv
  const store = await openStore({ databaseUrl, dataFolder: '/nowhere', log: silentLogger })
  const inventory = await createInventory({ store, log: silentLogger })
  const server = await joinServers({ connection: store.connection, log: silentLogger, replica })
  const tasks = createTasks({ store, inventory, log: silentLogger, server })
  const note = (id: string, act: string) =>
    store.pool.query('insert into storm_act (task_id, act) values ($1, $2)', [id, act])
  const steps = ['one', 'two', 'three', 'four'].map((name): Step<JobRun> => ({
    name,
    async run({ task_id, args, answer, state }) {
      await note(task_id, name)
      await sleep(20)
      if (name === 'two' && !state['looked']) return { again: 20, state: { looked: true } }
      if (name === 'three' && args['asks'] && !answer)
        return { ask: 'go_on', choices: ['yes', 'no'], otherwise: 'yes', within: 50 }
      if (name === args['fails']) throw new Error('it fails as it should')
      return undefined
    },
    async undo({ task_id }) {
      await sleep(10)
      await note(task_id, `undo ${name}`)
    },
  }))
  tasks.handle('stepped', { steps })
  await tasks.start()
  process.stdout.write('ready\n')
}

void run()
