import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { contractCallsPlugin } from './src/api/contract-calls-plugin'
import { cataloguePlugin } from './src/i18n/catalogue-plugin'
import { bootPlugin } from './src/themes/boot-plugin'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// Regions as in the names of react-aria's own files.
const languages = ['ar-AE', 'de-DE', 'en-US', 'es-ES', 'ja-JP', 'pt-BR', 'ru-RU', 'tr-TR', 'zh-CN']

// What every page needs, in one file that outlives our releases in the browser's cache.
const framework = /\/node_modules\/(react|react-dom|scheduler)\//

// What the sign-in page and all that follows it share.
const everyPage =
  /src.(ui.(Button|TextField)|shell.(Logo|PageSpinner|product)|themes.theme|i18n.use-(t|format)|api.(call|problem-text)|session.(sign-in|meta|may)|nav.(paths|place|sign-in-place|title-text)|lib.use-delayed)\.tsx?$|lucide-react.dist.esm.icons.info\.mjs$/

// What each list page needs besides itself: the frame, the router with its table, and the parts of lists.
const everyList =
  /src.(App|shell.(Frame|Root)|patterns.(ResourceTable|columns|confirm-delete|resource.(ResourceListPage|use-removal))|api.(use-list|use-view|use-call)|session.may|nav.use-(go|param))\.tsx?$/
// What the list of instances needs besides, which is where most people land.
const firstList = /src.areas.compute.instances.InstanceListPage\.tsx$/

/** `/__dev/gallery`: all primitives on one page. In development always; in a build only with `--mode gallery`. */
const gallery = (): Plugin => ({
  name: 'mainstay:gallery',
  configureServer(server) {
    server.middlewares.use((request, _response, next) => {
      if (request.url?.startsWith('/__dev/gallery')) request.url = '/src/testing/gallery.html'
      next()
    })
  },
})

export default defineConfig(({ mode }) => ({
  root: here('.'),
  // Relative, because the console may be mounted under a prefix such as /api/agent_direct/n1/lca/. The server puts the
  // prefix in the place of `./` when it sends index.html for a deep address.
  base: './',
  publicDir: false,
  plugins: [
    react(),
    cataloguePlugin(),
    contractCallsPlugin(),
    optimizeLocales.vite({ locales: languages }),
    bootPlugin(),
    gallery(),
  ],
  build: {
    outDir: here('./dist'),
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0, // data: addresses are not allowed by the policy
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      input: mode === 'gallery' ? [here('./src/testing/gallery.html')] : [here('./index.html')],
      output: {
        codeSplitting: {
          groups: [
            { name: 'framework', test: framework, priority: 10 },
            // All that main.tsx imports at once, in one file: forty small ones cost 9 kB (br) more. The entry itself stays
            // outside, so that the manifest still knows it.
            // What these need comes with them: a first page is some ten files instead of a hundred, and a fifth smaller.
            { name: 'base', test: everyPage, priority: 9 },
            { name: 'sign-in', test: /src.shell.(FirstSignIn|SignInForm|Logo)\.tsx$/, priority: 8 },
            { name: 'list', test: everyList, priority: 3 },
            { name: 'instances', test: firstList, priority: 2 },
            { name: 'start', tags: ['$initial'], test: /^(?!.*(?:main\.tsx|\.html))/, priority: 5 },
          ],
        },
      },
    },
  },
}))
