import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { allEndpoints } from '@mainstay/contract/resources'
import { account } from '@mainstay/contract/identity/account'
import { PASSWORD } from '../../server/src/testing/personas'
import { startServer, type TestServer } from '../../server/src/testing/start-server'
import { callTable } from './calls'
import { asTable } from './output'
import { run } from './run'

const calls = callTable()
let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

let [out, err] = ['', '']
let files: Record<string, string> = {}
beforeEach(() => {
  ;[out, err] = ['', '']
  files = {}
})

const byPassword = (): Record<string, string> => ({
  MAINSTAY_URL: server.url,
  MAINSTAY_USERNAME: server.cast.people['project-member'].user.name,
  MAINSTAY_PASSWORD: PASSWORD,
  MAINSTAY_DOMAIN: 'alpha',
})

const everywhere = () => ({ ...byPassword(), MAINSTAY_ADMIN_URL: server.adminUrl })

const mainstay = (line: string | readonly string[], environment: Record<string, string> = byPassword()) =>
  run(typeof line === 'string' ? line.split(' ') : line, {
    calls,
    environment,
    read: (from) => files[from.replace('@', '')]!,
    open: (file) => Promise.resolve(new Blob([files[file]!])),
    out: (text) => void (out += typeof text === 'string' ? text : new TextDecoder().decode(text)),
    err: (text) => void (err += text),
  })

const sessions = async () => {
  const token = await server.login('project-member')
  return (await server.call(account.sessions, { as: { token } })).data.length
}

it('has exactly one command, with a unique name, for every call in the contract', () => {
  const names = calls.map(({ words }) => words.join(' '))
  expect(new Set(names).size).toBe(names.length)
  expect(names).toHaveLength(Object.values(allEndpoints).flatMap((table) => Object.keys(table)).length)
  for (const name of ['compute servers list', 'projects create', 'compute keys generate', 'audit-log export'])
    expect(names).toContain(name)
})

it('creates, lists, shows and deletes an object, with output as a table and as JSON', async () => {
  const made = await mainstay([
    'compute',
    'volumes',
    'create',
    '--name',
    'from a shell',
    '--size=1073741824',
    '-o',
    'json',
  ])
  expect([made, err]).toEqual([0, ''])
  const { id } = JSON.parse(out) as { id: string }
  out = ''
  expect(await mainstay('compute volumes list --columns id,name')).toBe(0)
  expect(out).toBe(`id${' '.repeat(id.length)}name\n${id}  from a shell\n`)
  out = ''
  expect(await mainstay(`compute volumes view ${id}`)).toBe(0)
  expect(out).toMatch(/^name +from a shell$/m)
  expect(await mainstay(`compute volumes delete ${id}`)).toBe(0)
})

it('reads a complete body from a file or from standard input, and adds fields from options', async () => {
  files['body.json'] = JSON.stringify({ name: 'of a file', size: 1_073_741_824 })
  files['-'] = JSON.stringify({ name: 'of a pipe', size: 1_073_741_824 })
  expect(await mainstay('compute volumes create --body @body.json --description written')).toBe(0)
  expect(out).toMatch(/^description +written$/m)
  expect(await mainstay('compute volumes create --body -')).toBe(0)
  expect(out).toMatch(/^name +of a pipe$/m)
})

it('signs in with the password from the environment, selects the project, and signs out afterwards', async () => {
  const before = await sessions()
  expect(await mainstay('session whoami -o json')).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ project_id: server.cast.projects['alpha-one']!.id })
  // the command's session has ended; `sessions()` itself opened the new one
  expect(await sessions()).toBe(before + 1)
  expect(await mainstay('session whoami', { ...byPassword(), MAINSTAY_PROJECT: 'nowhere' })).toBe(3)
  expect(err).toContain('Project "nowhere" not found or not accessible')
})

it('uses an API token instead of a password, without revoking it afterwards', async () => {
  const owner = await server.login('project-member')
  const expires_at = new Date(Date.now() + 86_400_000).toISOString()
  const project_id = server.cast.projects['alpha-one']!.id
  const { token } = await server.call(account.createToken, {
    as: { token: owner },
    body: { name: 'script', expires_at, project_id },
  })
  const environment = { MAINSTAY_URL: server.url, MAINSTAY_TOKEN: token }
  expect(await mainstay('compute volumes list', environment)).toBe(0)
  expect(await mainstay('compute volumes list', environment)).toBe(0)
  expect(err).toBe('')
})

it("uses the user's domain by default, or the one from `--domain-id`", async () => {
  const { user } = server.cast.people['domain-admin']
  const environment = { ...byPassword(), MAINSTAY_USERNAME: user.name }
  expect(await mainstay('projects list --columns name', environment)).toBe(0)
  expect(out.split('\n')).toContain('alpha-one')
  expect(await mainstay(['projects', 'list', '--domain-id', 'elsewhere'], environment)).toBeGreaterThan(0)
})

it('does not accept credentials on the command line', async () => {
  const words = ['compute', 'volumes', 'list']
  for (const option of ['--password', '--username', '--token', '--url'])
    expect(await mainstay([...words, option, 'x']), option).toBe(2)
  const environment = { MAINSTAY_URL: server.url }
  expect(await mainstay(words, environment)).toBe(3)
  expect(err).toContain('Set MAINSTAY_TOKEN, or MAINSTAY_USERNAME and MAINSTAY_PASSWORD')
  // public calls do not require credentials
  expect(await mainstay('session panel -o json', environment)).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ panel: 'self-service' })
})

it('reports the result in its exit code', async () => {
  expect(await mainstay('compute volumes view nothing-of-this-id')).toBe(1)
  expect(err).toContain('Object you are referring to is not found')
  expect(await mainstay('compute flavors create --name f --vcpus 1 --ram 1024', everywhere())).toBe(3)
  expect(await mainstay('session panel', { MAINSTAY_URL: 'http://127.0.0.1:1' })).toBe(4)
  expect(await mainstay(['compute', 'volumes', 'create', '--name', '', '--size', '1'])).toBe(1)
  // lists the invalid fields
  expect(err).toMatch(/\n {2}name: /)
})

it('sends operator calls to the admin panel, and names the variable to set if its URL is not configured', async () => {
  const operator = { MAINSTAY_USERNAME: 'admin', MAINSTAY_PASSWORD: PASSWORD, MAINSTAY_DOMAIN: 'Default' }
  const create = 'compute flavors create --vcpus 1 --ram 1024 --name'
  expect(await mainstay(`${create} of-panel`, { ...everywhere(), ...operator })).toBe(0)
  expect(await mainstay(`${create} of-portal`, { ...byPassword(), ...operator })).toBe(1)
  expect(err).toContain('Set MAINSTAY_ADMIN_URL to its URL')
  out = ''
  expect(await mainstay('compute flavors create --help')).toBe(0)
  expect(out).toContain('Available only in the admin panel.')
})

it.each([
  ['compute volumes', 'Unknown command'],
  ['compute volumes make', 'Unknown command'],
  ['compute volumes view', 'requires ID'],
  ['compute volumes view one two', 'Unexpected argument "two"'],
  ['compute volumes create --name x', 'requires --size'],
  ['compute volumes create --name x --size big', '--size must be a number'],
  ['compute volumes create --name', '--name needs a value'],
  ['compute volumes create --colour red', 'has no option --colour'],
  ['compute servers create --body {', '--body must be JSON'],
  ['compute volumes list -o yaml', '--output must be table or json'],
])('rejects an invalid command before it sends a request: %s', async (line, why) => {
  expect(await mainstay(line, { MAINSTAY_URL: 'http://127.0.0.1:1' })).toBe(2)
  expect(err).toContain(why)
})

it('lists the commands, and describes their options in the words of the contract', async () => {
  expect(await mainstay('--help')).toBe(0)
  expect(out).toMatch(/^ {2}compute servers .*\blist\b.*\bstart\b/m)
  out = ''
  expect(await mainstay('compute servers --help')).toBe(0)
  expect(out).toContain('compute servers list ')
  expect(out).not.toContain('compute volumes')
  out = ''
  expect(await mainstay('compute volumes create --help')).toBe(0)
  expect(out).toMatch(/^ {2}--size NUMBER +Required\./m)
  expect(out).toContain('Requires permission to create `compute_volumes`.')
})

it('removes control characters from names', () => {
  expect(asTable({ data: [{ name: 'a\u001B[2Jb' }] }, null)).toBe('name\na [2Jb')
})
