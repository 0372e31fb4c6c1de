// `npm run dev`: runs the server, which restarts after each change, and the console, which reloads automatically.
//   npm run dev -- --admin     serves the admin panel instead of the portal
import { spawn } from 'node:child_process'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createServer } from 'vite'
import { built } from './lib/built-programs.mjs'
import { freePort } from './lib/free-port.mjs'
import { inRoot, root } from './lib/paths.mjs'

const { values } = parseArgs({ options: { admin: { type: 'boolean', default: false } } })

const selfService = process.env['MAINSTAY_PORT'] ?? String(await freePort())
const admin = process.env['MAINSTAY_ADMIN_PORT'] ?? String(await freePort())
const behind = `http://127.0.0.1:${values.admin ? admin : selfService}`

/** Serves the admin panel for every page. @type {import('vite').Plugin} */
const adminPage = {
  name: 'mainstay:admin-page',
  configureServer(server) {
    server.middlewares.use((request, _response, next) => {
      if (request.headers.accept?.includes('text/html')) request.url = '/admin.html'
      next()
    })
  },
}

await built('image-worker')
// Stays in our process group so that it also receives Ctrl+C from the terminal.
const server = spawn(
  inRoot('node_modules', '.bin', 'tsx'),
  ['watch', '--clear-screen=false', '--include', 'contract/src/**/*', inRoot('server', 'src', 'main.ts')],
  { cwd: root, stdio: 'inherit', env: { ...process.env, MAINSTAY_PORT: selfService, MAINSTAY_ADMIN_PORT: admin } },
)

const vite = await createServer({
  root: inRoot('console'),
  configFile: inRoot('console', 'vite.config.ts'),
  clearScreen: false,
  plugins: values.admin ? [adminPage] : [],
  server: {
    host: '127.0.0.1',
    // keep the browser's Host and Origin headers, because the server compares them
    proxy: Object.fromEntries(
      ['/api', '/auth/landing', '/websockify', '/health', '/metrics'].map((path) => [
        path,
        { target: behind, ws: true },
      ]),
    ),
  },
})
await vite.listen()
vite.printUrls()

// Ctrl+C has already reached the server, and an immediate second signal would interrupt its shutdown.
process.once('SIGINT', () => setTimeout(() => server.kill('SIGTERM'), 10_000).unref())
process.once('SIGTERM', () => server.kill('SIGTERM'))
server.once('exit', (code) => {
  void vite.close()
  process.exitCode = code ?? 0
})
