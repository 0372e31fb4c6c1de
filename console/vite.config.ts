import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { contractCallsPlugin } from './src/api/contract-calls-plugin'
import { cataloguePlugin } from './src/i18n/catalogue-plugin'
import { facadePlugin } from './src/lib/facade-plugin'
import { bootPlugin } from './src/themes/boot-plugin'
import { iconPlugin } from './src/ui/icon-plugin'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// Locales with the regions that react-aria uses in its file names.
const languages = ['ar-AE', 'de-DE', 'en-US', 'es-ES', 'ja-JP', 'pt-BR', 'ru-RU', 'tr-TR', 'zh-CN']

// Needed by every page and kept in one file, so that it stays in the browser’s cache across releases.
const framework = /\/node_modules\/(react|react-dom|scheduler)\//

const themes = ['themes/theme.css', 'themes/theme.ts']
/**
 * Files that are fetched together, each with all of its dependencies. Loading the first list then takes about twenty
 * requests instead of a hundred, and a fifth fewer bytes. Shared dependencies go into the first chunk that needs them.
 */
const chunks = {
  // Modules that main.tsx and admin.tsx import, or that the sign-in page shares with the rest of the console. The entry
  // files themselves are omitted, so that the manifest still lists them.
  base: [
    ...['start-console.tsx', 'i18n/I18n.tsx', 'i18n/language.ts', 'i18n/use-t.ts', 'lib/use-delayed.ts'],
    ...['api/call.ts', 'api/problem-text.ts', 'session/start-session.ts', 'session/sign-in.ts', 'session/meta.ts'],
    ...[
      'session/may.ts',
      'session/domain-theme.ts',
      'nav/paths.ts',
      'nav/place.ts',
      'nav/sign-in-place.ts',
      'nav/title-text.ts',
      ...themes,
    ],
    ...['ui/Button.tsx', 'ui/fields/field.module.css', 'shell/Logo.tsx', 'shell/PageSpinner.tsx', 'shell/product.ts'],
    ...['circle-x', 'info'].map((icon) => `../../node_modules/lucide-react/dist/esm/icons/${icon}.mjs`),
  ],
  // Text fields with their validation, for the sign-in page and for forms. Lists need only the native search field.
  fields: ['ui/fields/TextField.tsx'],
  'sign-in': ['shell/sign-in/FirstSignIn.tsx', 'shell/sign-in/SignInForm.tsx'],
  // Common parts of all list pages: frame, router with its route table, and list components. Includes the instance
  // list, which is the usual landing page.
  list: [
    ...['create-app.tsx', 'portal-app.ts', 'api/use-list.ts', 'api/use-view.ts', 'api/use-call.ts'],
    ...['nav/use-app-navigate.ts', 'nav/use-param.ts'],
    ...['patterns/table/ResourceTable.tsx', 'patterns/table/columns.tsx', 'patterns/dialogs/confirm-delete.ts'],
    'i18n/use-format.ts',
    ...['patterns/resource/ResourceListPage.tsx', 'patterns/resource/use-delete-actions.ts'],
    'areas/compute/instances/list/InstanceListPage.tsx',
  ],
  // Also required by the admin panel’s route table. Without this chunk, importing these files would load everything
  // that is otherwise loaded after the first list.
  operators: [
    ...['areas/compute/placements/resource.ts'],
    ...[
      'compute/nodes.ts',
      'compute/placements.ts',
      'compute/quotas.ts',
      'infrastructure/engines.ts',
      'monitoring/alert-rules.ts',
      'object-storage/s3-users.ts',
    ].map((file) => `../../contract/src/${file}?calls`),
  ],
  // These chunks are loaded after the first list has been rendered.
  live: ['api/live.ts', 'api/live-kinds.ts', 'session/fetch-compute-stat.ts'],
  notices: [
    'shell/notifications/BottomNotices.tsx',
    'shell/notifications/Bell.tsx',
    'shell/idle/IdleWatch.tsx',
    'shell/banners/Banners.tsx',
    'shell/banners/RestartingVeil.tsx',
  ],
  // Shared parts of most detail drawers and forms.
  details: [
    ...[
      'patterns/DrawerPage.tsx',
      'patterns/Facts.tsx',
      'patterns/ActionMenu.tsx',
      'patterns/dialogs/ConfirmDialog.tsx',
    ],
    ...['ui/Tabs.tsx', 'ui/overlays/Menu.tsx', 'patterns/resource/PlainPage.tsx'],
  ],
  forms: [...['patterns/form/FormDialog.tsx', 'patterns/form/form-fields.tsx', 'patterns/form/use-watched.ts']],
}

const chunkGroups = Object.entries(chunks).map(([name, files]) => {
  const ids = new Set(
    files.map((file) => {
      const [path, part] = file.split('?')
      const id = here(`./src/${path}`)
      // fail on a missing file, because a moved file would silently drop out of its chunk
      if (!existsSync(id)) throw new Error(`${id} of the chunk "${name}" is not there`)
      return part === undefined ? id : `${id}?${part}`
    }),
  )
  return { name, test: (id: string) => ids.has(id) }
})

/**
 * Files that a page preloads for a lazy chunk: only its style sheets, which nothing else loads, except those that the
 * entry already includes. Scripts are preloaded by the page itself, in a few files; listing their names here would add
 * 4 kB to every first list.
 */
const isNamed = (file: string) => file.endsWith('.css') && !/(^|\/)base-[\w-]+\.css$/.test(file)

/**
 * `/__dev/gallery` shows all primitives on one page. Always available in development; in builds only with `--mode
 * gallery`.
 */
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
  // Relative, because the console may be mounted under a prefix such as /api/agent_direct/n1/lca/. The server replaces
  // `./` with the prefix when it sends index.html for a nested path.
  base: './',
  publicDir: false,
  resolve: {
    // the shim brings a copy of what React has had since version 18
    alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
  },
  plugins: [
    react(),
    cataloguePlugin(),
    contractCallsPlugin(),
    optimizeLocales.vite({ locales: languages }),
    bootPlugin(),
    iconPlugin(),
    gallery(),
    facadePlugin(),
  ],
  build: {
    outDir: here('./dist'),
    emptyOutDir: true,
    manifest: true,
    target: ['chrome123', 'edge123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0, // the content security policy forbids data: URLs
    modulePreload: {
      polyfill: false,
      resolveDependencies: (_file, needed) => needed.filter(isNamed),
    },
    chunkSizeWarningLimit: 400,
    rolldownOptions: {
      input: mode === 'gallery' ? [here('./src/testing/gallery.html')] : [here('./index.html'), here('./admin.html')],
      output: {
        codeSplitting: {
          groups: [{ name: 'framework', test: framework }, ...chunkGroups],
        },
      },
    },
  },
}))
