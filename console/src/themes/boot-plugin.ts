import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { HtmlTagDescriptor, Plugin } from 'vite'

const entry = fileURLToPath(new URL('./boot.ts', import.meta.url))
const devPath = '/@boot.js'

const bundle = async () => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * Adds two tags to the head of every page: the boot script as a blocking classic script with a hashed name, and a
 * preload of the font that every page uses. A module would run after the first paint, and the content security policy
 * forbids inline code.
 */
export function bootPlugin(): Plugin {
  let bootFile = ''
  return {
    name: 'mainstay:boot',
    configureServer(server) {
      server.middlewares.use(devPath, (_request, response, next) => {
        bundle().then((code) => {
          response.setHeader('content-type', 'text/javascript')
          response.end(code)
        }, next)
      })
    },
    async buildStart() {
      if (this.environment.mode !== 'build') return
      this.addWatchFile(entry)
      const code = await bundle()
      bootFile = `assets/boot-${createHash('sha256').update(code).digest('base64url').slice(0, 8)}.js`
      this.emitFile({ type: 'asset', fileName: bootFile, source: code })
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { server, bundle: output, path }) {
        if (server) return [{ tag: 'script', attrs: { src: devPath }, injectTo: 'head-prepend' }]
        const root = path.split('/').length > 2 ? '../'.repeat(path.split('/').length - 2) : './'
        const font = Object.keys(output ?? {}).find((file) => /inter-latin-wght-normal-[^/]+\.woff2$/.test(file))
        const tags: HtmlTagDescriptor[] = [
          { tag: 'script', attrs: { src: `${root}${bootFile}` }, injectTo: 'head-prepend' },
        ]
        if (font) {
          tags.push({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `${root}${font}`, crossorigin: true },
            injectTo: 'head-prepend',
          })
        }
        return tags
      },
    },
  }
}
