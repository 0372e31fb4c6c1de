import { Agent, request } from 'node:http'

/** A client that reads lists over a single keep-alive connection, as a browser does. */
export interface Reader {
  /** Returns the response and the number of milliseconds until it was read completely. */
  get<Answer>(path: string): Promise<{ ms: number; answer: Answer }>
  /** Sends the request and discards the response to save CPU time in this process. */
  drain(path: string): Promise<void>
  close(): void
}

export function openReader(url: string, token: string): Reader {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return {
    async get<Answer>(path: string) {
      const started = performance.now()
      const text = await new Promise<string>((resolve, reject) => {
        request(`${url}${path}`, { agent, headers: { 'x-auth-token': token } }, (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject)
          response.once('end', () => {
            const body = Buffer.concat(chunks).toString()
            if (response.statusCode === 200) resolve(body)
            else reject(new Error(`GET ${path} answered ${response.statusCode}: ${body.slice(0, 500)}`))
          })
        })
          .once('error', reject)
          .end()
      })
      const ms = performance.now() - started
      return { ms, answer: JSON.parse(text) as Answer }
    },
    drain: (path) =>
      new Promise((resolve, reject) => {
        request(`${url}${path}`, { agent, headers: { 'x-auth-token': token } }, (response) => {
          response.once('error', reject).once('end', () => {
            if (response.statusCode === 200) resolve()
            else reject(new Error(`GET ${path} answered ${response.statusCode}`))
          })
          response.resume()
        })
          .once('error', reject)
          .end()
      }),
    close: () => agent.destroy(),
  }
}
