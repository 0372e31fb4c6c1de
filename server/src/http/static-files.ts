import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Panel } from '@mainstay/contract/panels'
import { JSON_TYPE } from './send-json'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': JSON_TYPE,
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
  '.map': JSON_TYPE,
}
const worthPacking = new Set(['.html', '.js', '.css', '.json', '.svg', '.txt', '.wasm'])

// Takes half a second once per file and release. A higher level would delay the first visitor.
const pack = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
}
type Encoding = keyof typeof pack

interface StaticFile {
  bytes: Buffer
  changedMs: number
  packed: Partial<Record<Encoding, Promise<Buffer>>>
}

const encodingFor = (request: FastifyRequest): Encoding | null => {
  const accepted = String(request.headers['accept-encoding'] ?? '')
  return /\bbr\b/.test(accepted) ? 'br' : /\bgzip\b/.test(accepted) ? 'gzip' : null
}

/** HTML page that loads each panel. */
export const consolePages: Record<Panel, string> = { 'self-service': 'index.html', admin: 'admin.html' }

export interface StaticFiles {
  /** Sends a file of the built console. Returns false if the file does not exist. */
  sendFile(request: FastifyRequest, reply: FastifyReply, urlPath: string): Promise<boolean>
  /** Sends the page of a panel's console. Returns false if the console has not been built. */
  sendPage(request: FastifyRequest, reply: FastifyReply, panel: Panel): Promise<boolean>
}

/** Serves the built console. Files with a hash in their names may be cached forever; the page is never cached. */
export function staticFiles(folder: string): StaticFiles {
  const files = new Map<string, StaticFile>()

  async function read(urlPath: string): Promise<StaticFile | null> {
    // normalizing an absolute path cannot leave the folder
    const file = path.join(folder, path.posix.normalize(urlPath))
    const found = await stat(file).catch(() => null)
    if (!found?.isFile()) return null
    const known = files.get(file)
    if (known && known.changedMs === found.mtimeMs) return known
    const fresh: StaticFile = { bytes: await readFile(file), changedMs: found.mtimeMs, packed: {} }
    files.set(file, fresh)
    return fresh
  }

  return {
    async sendFile(request, reply, urlPath) {
      const extension = path.posix.extname(urlPath)
      if (
        extension === '' ||
        extension === '.html' ||
        urlPath.includes('\0') ||
        urlPath.split('/').some((it) => it.startsWith('.'))
      )
        return false
      const file = await read(urlPath)
      if (!file) return false
      void reply
        .header('content-type', types[extension] ?? 'application/octet-stream')
        .header('cache-control', urlPath.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
      const encoding = worthPacking.has(extension) ? encodingFor(request) : null
      void reply.header('vary', 'Accept-Encoding')
      if (encoding === null) {
        await reply.send(file.bytes)
        return true
      }
      const packed = await (file.packed[encoding] ??= pack[encoding](file.bytes))
      await reply.header('content-encoding', encoding).send(packed)
      return true
    },

    async sendPage(request, reply, panel) {
      const page = await read(`/${consolePages[panel]}`)
      if (!page) return false
      // the page is served at any depth, but its assets are always below the mount point
      const html = page.bytes.toString('utf8').replaceAll(/(src|href)="\.\//g, `$1="${request.mountedAt}/`)
      await reply.header('content-type', types['.html']!).header('cache-control', 'no-store').send(html)
      return true
    },
  }
}
