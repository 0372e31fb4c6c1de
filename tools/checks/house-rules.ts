export interface Rule {
  name: string
  files: RegExp
  /** pattern that no line may match */
  never: RegExp
  except?: RegExp
}

export const rules: readonly Rule[] = [
  {
    // sites may use a mirror, which is configured in npm and apt, not in the repository
    name: 'names the host of a package registry',
    files: /./,
    never:
      /registry\.(npmjs|yarnpkg)\.|npm\.pkg\.github|deb\.debian\.org|(security|snapshot)\.debian\.org|pypi\.org|ghcr\.io/,
    except: /^tools\/checks\/house-rules/,
  },
  {
    name: 'holds the address of a package in the lockfile',
    files: /(^|\/)package-lock\.json$/,
    never: /"resolved": "(https?|git|ssh)/,
  },
  {
    name: 'names a path of one machine',
    files: /./,
    never: /(^|[\s"'`=(:])\/(work|home\/[a-z]+|Users\/[A-Za-z]+|root)\//,
    except: /^tools\/checks\/house-rules/,
  },
  {
    name: 'holds a TODO that does not say what is missing',
    files: /\.(ts|tsx|mjs|css|sh|html)$/,
    never: /\b(TODO|FIXME|XXX)\b(?!:? (?:\S+ ){2,}\S)/,
    except: /^tools\/checks\/house-rules/,
  },
  {
    name: 'creates a download link of its own; downloadFrom() creates and removes all of them',
    files: /^console\/src\/.*\.tsx?$/,
    never: /\.download = /,
    except: /^console\/src\/api\/transfers\/download\.ts$/,
  },
  { name: 'ends its lines in CR LF', files: /./, never: /\r$/, except: /\.(bat|eml)$/ },
]

const largestBytes = 512 * 1024

/** Returns one sentence for each rule that the file violates. */
export function houseFaults(file: string, content: Buffer): string[] {
  const size =
    content.length > largestBytes ? [`${file} has ${content.length} bytes; at most ${largestBytes} are allowed`] : []
  // binary files have no lines
  if (content.subarray(0, 8_000).includes(0)) return size
  const applying = rules.filter(({ files, except }) => files.test(file) && !except?.test(file))
  const lines = content.toString('utf8').split('\n')
  const broken = applying.flatMap(({ name, never }) => {
    const line = lines.findIndex((text) => never.test(text))
    return line < 0 ? [] : [`${file}:${line + 1} ${name}`]
  })
  return [...size, ...broken]
}
