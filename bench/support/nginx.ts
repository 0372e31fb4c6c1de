import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export const hasNginx = (): boolean => spawnSync('nginx', ['-v']).status === 0

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts nginx, which serves files from a folder with sendfile, as the reference for fast file delivery. */
export async function startNginx(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  const file = path.join(folder, 'nginx.conf')
  await writeFile(
    file,
    `user root; daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
     events { worker_connections 64; }
     http { sendfile on; tcp_nopush on; access_log off; ${temporary}
       server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  )
  const child = spawn('nginx', ['-c', file, '-e', `${folder}/nginx.log`], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let look = 0; ; look++) {
    const answered = await fetch(url).catch(() => null)
    if (answered) break
    if (look > 100) throw new Error('nginx does not answer')
    await pause(50)
  }
  return {
    url,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
