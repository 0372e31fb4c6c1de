// Allowed imports between parts: the diagram in docs/architecture.md as data. A file belongs to the first part that
// matches.
import { embeddedFolders } from './embedded-folders'

export interface Part {
  name: string
  files: RegExp
  /** parts that its files may import, including itself; `contract` stands for all parts with that prefix */
  may: readonly string[]
  /** packages that it may import; default: all that are declared in its workspace */
  packages?: RegExp
  /** if set, the first group of `files` is an area, and imports from another area must match this */
  otherAreas?: RegExp
}

const frame = [
  ...['server/frame', 'server/http', 'server/config', 'contract'],
  ...['engines/ports', 'engines/host', 'engines/networking', 'engines/network-model', 'engines/s3-form'],
  ...['engines/backup-places', 'engines/hosts', 'engines/ceph'],
]
const consoleFrame = ['console/frame', 'console/ui', 'console/themes', 'console/lib', 'contract']
const consoleParts = [
  ...['console/routes', 'console/shell', 'console/areas', 'console/pickers', 'console/patterns'],
  ...consoleFrame,
]
const serverParts = ['server/app', 'server/areas', 'server/serve', ...frame]

const belowEngines = ['engines/backup-places', 'engines/common', 'engines/host', 'engines/ports', 'contract']
const belowEmbedded = [
  ...belowEngines,
  ...['engines/networking', 'engines/network-model', 'engines/load-balancing', 'engines/vpn'],
]

const zod = /^zod$/
const zodAndAddresses = /^(zod|ipaddr\.js)$/
/** Code that runs in browsers cannot import Node modules. */
const noNode = /^(?!node:)/
const noFrame = /^(?!node:|@tanstack\/react-(router|query)|socket\.io)/

export const parts: readonly Part[] = [
  // contract: all ► areas ► core ► messages
  {
    name: 'contract/messages',
    files: /^contract\/src\/([^/]+\/)?messages\.ts$/,
    may: ['contract/messages'],
    packages: /^$/,
  },
  {
    name: 'contract/core',
    files: /^contract\/src\/(core\/|permissions\.ts$)/,
    may: ['contract/core', 'contract/messages'],
    packages: zod,
  },
  {
    name: 'contract/areas',
    files: /^contract\/src\/[^/]+\//,
    may: ['contract/areas', 'contract/core'],
    packages: zodAndAddresses,
  },
  { name: 'contract/all', files: /^contract\/src\/[^/]+\.ts$/, may: ['contract'], packages: zod },

  // engines: compose ► embedded | openstack | s3 | rgw ► ports, common, host; engines do not import each other
  {
    name: 'engines/ports',
    files: /^engines\/src\/ports\//,
    may: ['engines/ports', 'contract'],
    packages: /^(zod|node:.*)$/,
  },
  {
    name: 'engines/conformance',
    files: /^engines\/src\/conformance\//,
    may: ['engines/conformance', 'engines/ports', 'contract'],
  },
  {
    name: 'engines/common',
    files: /^engines\/src\/(image-files\/|(fair-semaphore|match|ssh-fingerprint)(\.spec)?\.ts$)/,
    may: ['engines/common', 'engines/host'],
    packages: /^(p-limit|zod|node:.*)$/,
  },
  // the locations where the engines and the server store backups
  {
    name: 'engines/backup-places',
    files: /^engines\/src\/backup-places\.ts$/,
    may: ['engines/ports', 'contract'],
    packages: /^(@aws-sdk\/.+|node:.*)$/,
  },
  // host access for engines and server
  { name: 'engines/host', files: /^engines\/src\/host\//, may: ['engines/host'], packages: /^node:/ },
  // the desired state of networks in any engine, its compiled form, and the traffic that it allows: pure functions
  {
    name: 'engines/network-model',
    files: /^engines\/src\/network-model\//,
    may: ['engines/network-model', 'contract'],
    packages: /^node:(crypto|net)$/,
  },
  {
    name: 'engines/networking',
    files: /^engines\/src\/networking\//,
    may: ['engines/networking', 'engines/network-model', 'contract'],
  },
  // code for load balancers, shared by all engines
  {
    name: 'engines/load-balancing',
    files: /^engines\/src\/load-balancing\//,
    may: ['engines/load-balancing', 'contract'],
    packages: /^node:/,
  },
  // code for VPN connections, shared by all engines
  { name: 'engines/vpn', files: /^engines\/src\/vpn\//, may: ['engines/vpn', 'contract'] },
  // the S3 wire format and access rules, for the engine that serves S3 and the code that forwards S3 requests
  {
    name: 'engines/s3-form',
    files: /^engines\/src\/s3\/(signature\/|store\/digests\.ts$|(account-rules|errors|names|people|source)\.ts$)/,
    may: ['engines/s3-form', 'engines/ports', 'contract'],
    packages: /^(hash-wasm|node:.*)$/,
  },
  // the embedded engine's test helpers, entry files and folders
  {
    name: 'engines/embedded/testing',
    files: /^engines\/src\/embedded\/(.+\/)?testing\//,
    may: ['engines/embedded', ...belowEmbedded, 'engines/conformance', 'tools/testing'],
  },
  {
    name: 'engines/embedded',
    files: /^engines\/src\/embedded\/(embedded|garbage|offer)\.ts$/,
    may: ['engines/embedded', ...belowEmbedded],
  },
  ...Object.entries(embeddedFolders).map(([folder, may]) => ({
    name: `engines/embedded/${folder}`,
    files: folder === 'base' ? /^engines\/src\/embedded\/[^/]+$/ : new RegExp(`^engines/src/embedded/${folder}/`),
    may: [...[folder, ...may].map((one) => `engines/embedded/${one}`), ...belowEmbedded],
  })),
  ...['openstack', 's3', 'rgw'].flatMap((engine) => {
    const name = `engines/${engine}`
    const may = [
      name,
      ...belowEngines,
      ...(engine === 'openstack' ? ['engines/load-balancing', 'engines/vpn'] : []),
      ...(['s3', 'rgw'].includes(engine) ? ['engines/s3-form'] : []),
    ]
    return [
      // test helpers
      {
        name,
        files: new RegExp(`^engines/src/${engine}/(.+/)?testing/`),
        may: [...may, 'engines/conformance', 'tools/testing'],
      },
      { name, files: new RegExp(`^engines/src/${engine}/`), may },
    ]
  }),
  // the installation's hosts: links to them, the facts that they report, and test helpers; an attached Ceph cluster
  {
    name: 'engines/hosts',
    files: /^engines\/src\/hosts\/testing\//,
    may: ['engines/hosts', 'engines/host', 'tools/testing'],
  },
  {
    name: 'engines/hosts',
    files: /^engines\/src\/hosts\//,
    may: ['engines/hosts', 'engines/host', 'engines/ports', 'contract'],
    packages: /^(zod|p-limit|node:.*)$/,
  },
  { name: 'engines/ceph', files: /^engines\/src\/ceph\//, may: ['engines/ceph', 'engines/hosts', 'contract'] },
  {
    name: 'engines/compose',
    files: /^engines\/src\/(compose|plan|unserved)(\.spec)?\.ts$/,
    may: [
      ...['engines/compose', 'engines/embedded', 'engines/openstack', 'engines/s3', 'engines/rgw'],
      ...['engines/ports', 'contract'],
    ],
  },

  // server: main ► app ► areas ► serve ► session, realtime, tasks, store, proxies ... ► http
  {
    name: 'server/main',
    files: /^server\/src\/main\.ts$/,
    may: ['server/main', ...serverParts, 'engines/compose', 'tools/packages'],
  },
  {
    name: 'server/config',
    files:
      /^server\/src\/(config|config-ceph|config-object-storage|config-values|limits|self-service|shown-config|unknown-variables)\.ts$/,
    may: ['server/config', 'contract'],
  },
  // serves routes and provides their tools; may import the frame, whose parts it combines
  {
    name: 'server/serve',
    files:
      /^server\/src\/(module|tools|http\/(acts|callers|if-match|perform|serve|serve-resource|routes|rows\/.+))\.ts$/,
    may: ['server/serve', ...frame],
  },
  { name: 'server/app', files: /^server\/src\/[^/]+\.ts$/, may: serverParts },
  {
    name: 'server/areas',
    files: /^server\/src\/areas\/(?:([^/]+)\/|[^/]+\.spec\.ts$)/,
    // areas name the packages that the host lacks
    may: ['server/areas', 'server/serve', ...frame, 'tools/packages'],
    otherAreas: /\.service\.ts$/,
  },
  { name: 'server/http', files: /^server\/src\/http\//, may: ['server/http', 'server/config', 'contract'] },
  {
    name: 'server/testing',
    files: /^server\/src\/testing\//,
    may: ['server', 'engines', 'contract', 'tools/testing'],
  },
  {
    name: 'server/frame',
    files:
      /^server\/src\/(archives|audit|certificates|command-line|engines|federation|inventory|ldap|metrics|mail|proxies|realtime|reports|scheduler|session|settings|snmp|store|tasks)\//,
    may: frame,
  },

  // console: main ► routes ► shell ► palette ► areas ► pickers ► patterns ► nav, notices, session, api, i18n ► ui ► themes
  // runs in Node, as part of the Vite build
  {
    name: 'console/build',
    files: /^console\/([^/]+|src\/.+-plugin)\.(ts|mjs)$/,
    may: ['console/build', 'console/themes', 'console/frame', 'console/lib', 'contract', 'tools'],
  },
  {
    name: 'console/main',
    files: /^console\/src\/(main|admin)\.tsx?$/,
    may: ['console/main', ...consoleParts],
    packages: noNode,
  },
  {
    name: 'console/routes',
    files: /^console\/src\/[^/]+\.tsx?$/,
    may: consoleParts,
    packages: noNode,
  },
  {
    name: 'console/shell',
    files: /^console\/src\/shell\//,
    may: ['console/shell', 'console/palette', 'console/pickers', 'console/patterns', ...consoleFrame],
    packages: noNode,
  },
  // the command palette, which the shell opens and which knows the pages in all areas
  {
    name: 'console/palette',
    files: /^console\/src\/palette\//,
    may: ['console/palette', 'console/areas', 'console/patterns', ...consoleFrame],
    packages: noNode,
  },
  {
    name: 'console/areas',
    files: /^console\/src\/areas\/([^/]+)\//,
    may: ['console/areas', 'console/pickers', 'console/patterns', ...consoleFrame],
    packages: noNode,
    // a resource's description: paths, calls and kind
    otherAreas: /\/resource\.ts$/,
  },
  {
    name: 'console/pickers',
    files: /^console\/src\/pickers\//,
    may: ['console/pickers', 'console/patterns', ...consoleFrame],
    packages: noNode,
  },
  {
    name: 'console/patterns',
    files: /^console\/src\/patterns\//,
    may: ['console/patterns', ...consoleFrame],
    packages: noNode,
  },
  {
    name: 'console/frame',
    files: /^console\/src\/(api|features|i18n|nav|notices|session)\//,
    may: consoleFrame,
    packages: noNode,
  },
  {
    name: 'console/ui',
    files: /^console\/src\/ui\//,
    may: ['console/ui', 'console/themes', 'console/lib'],
    packages: noFrame,
  },
  {
    name: 'console/themes',
    files: /^console\/src\/themes\//,
    may: ['console/themes', 'console/lib', 'contract'],
    packages: noFrame,
  },
  { name: 'console/lib', files: /^console\/src\/lib\//, may: ['console/lib', 'contract'], packages: noFrame },
  {
    name: 'console/testing',
    files: /^console\/src\/testing\//,
    may: ['console', 'server', 'engines', 'contract'],
  },
  // the `mainstay` command, which uses only the contract
  {
    name: 'cli',
    files: /^cli\/src\//,
    may: ['cli', 'contract'],
    packages: /^node:/,
  },
  // both start server and console as programs; the sweep takes its pages from the route table
  { name: 'e2e', files: /^e2e\//, may: ['e2e', 'console/routes', 'server/testing', 'contract', 'tools'] },
  { name: 'bench', files: /^bench\//, may: ['bench', 'server', 'engines', 'contract', 'tools'] },
  // helpers for all specs: the current test tier and the host's features
  {
    name: 'tools/testing',
    files: /^tools\/lib\/((tier|root-rights)\.mjs|vitest\/[^/]+\.ts)$/,
    may: ['tools'],
  },
  // the list of Debian packages, which the server uses to name missing ones
  { name: 'tools/packages', files: /^tools\/system-packages\.mjs$/, may: ['tools/packages'], packages: /^node:/ },
  { name: 'tools', files: /^tools\//, may: ['tools', 'bench', 'contract'] },
  { name: 'configuration', files: /^[^/]+\.config\.ts$/, may: ['tools'] },
]

/** Additional imports that specs may use, such as helpers that start a server or render a page. */
export const specsMayAlso: readonly { files: RegExp; may: readonly string[] }[] = [
  { files: /^/, may: ['tools/testing'] },
  { files: /^contract\//, may: ['contract'] },
  { files: /^engines\//, may: ['engines/conformance', 'server/testing'] },
  { files: /^engines\/src\/embedded\//, may: ['engines/embedded'] },
  { files: /^server\//, may: ['server', 'engines'] },
  // to compare the limits in the code with those in the docs
  { files: /^tools\//, may: ['server/config'] },
  // to check that the CLI parses the commands that forms show
  { files: /^cli\//, may: ['server/testing', 'console/patterns'] },
  // to convert texts in the pseudo-language back to English
  { files: /^e2e\/sweep\//, may: ['console/frame'] },
  {
    files: /^console\//,
    may: [
      ...['console', 'server/testing', 'server/app', 'server/areas'],
      ...['engines/embedded', 'engines/ceph', 'engines/ports'],
    ],
  },
]
