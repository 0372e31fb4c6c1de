/** The result of a command. */
export interface Ended {
  /** 127 if the program is not installed; 128 plus the signal number if a signal ended the command. */
  status: number
  out: string
  err: string
}

export interface RunOptions {
  /** Standard input. Default: empty. */
  input?: string
  /** Stops the command. */
  signal?: AbortSignal
  /** Runs the command as root. Throws `infrastructure.host_needs_root` if the link cannot do that. */
  asRoot?: boolean
  /** Maximum output in bytes, for both streams together. Default: 8 MiB. */
  most?: number
  /** Time limit in milliseconds. Default: one minute. Run longer work in a systemd unit. */
  withinMs?: number
}

/** `root`; `sudo`: root through sudo without a password; `none`: an ordinary user. */
export type Rights = 'root' | 'sudo' | 'none'

/** The text of a file, and a tag that changes whenever the text changes. */
export interface HostFile {
  text: string
  tag: string
}

/** The tag of a file that does not exist. */
export const NO_FILE = '-'

/** A link to one host. The engine accesses the host only through this link. */
export interface NodeLink {
  readonly hostname: string
  readonly rights: Rights
  /**
   * Runs a program with the C locale and with the sbin folders in its PATH. Throws a `LinkFault` if the link is lost,
   * the time limit is exceeded or the output is too long; resolves for any exit status.
   */
  run(argv: readonly string[], options?: RunOptions): Promise<Ended>
  /** Reads a text file, as root if possible. Returns null if the file does not exist. */
  read(path: string): Promise<HostFile | null>
  /**
   * Replaces, creates (tag `NO_FILE`) or deletes (text null) a file atomically, as root if possible. Returns the new
   * tag. Throws `infrastructure.file_changed` if the file has another tag.
   */
  replace(path: string, text: string | null, tag: string): Promise<string>
  /** Fires when the connection is lost or closed; its reason is the `LinkFault`. Running commands are stopped. */
  readonly lost: AbortSignal
  close(): Promise<void>
}
