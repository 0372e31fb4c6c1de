export const infrastructure = {
  absolute_path: 'Enter an absolute path, such as /mnt/backup',
  backup_differs: [
    'backup_target_unavailable',
    'The stored file is not what was written. Check the storage of the place, then try again.',
  ],
  backup_folder_unmarked: [
    'backup_target_unavailable',
    'The folder {folder} does not contain the file {marker}, which was created there when the folder was chosen. If it is a share, mount it. To use the folder as it is, save the place again.',
  ],
  backup_key_ending: 'These are not the last characters of the new key',
  backup_key_replaced: ['conflict', 'A newer key has been created since. Confirm that key, or create another one.'],
  backup_not_configured: ['not_configured', 'Choose a place and create a key for management backups first'],
  backup_place: ['backup_target_unavailable', 'The place where backups are stored cannot be used: {reason}'],
  backup_running: ['conflict', 'A management backup is already being created'],
  backup_secret_missing: 'Enter the secret key for this bucket',
  file_changed: [
    'conflict',
    'The file {file} on {host} was changed in the meantime. Read it again, then repeat the change.',
  ],
  host_bridge_fault: [
    'node_unreachable',
    'cockpit-bridge on {host} does not follow its protocol: {reason}. Install the package cockpit-bridge of the distribution again.',
  ],
  host_bridge_missing: [
    'node_unreachable',
    'cockpit-bridge does not start on {host}: {reason}. Install it on the host: apt-get install cockpit-bridge',
  ],
  host_command_timeout: ['node_unreachable', 'The program {command} on {host} did not end in time and was stopped'],
  host_file: ['conflict', 'The file {file} on {host} could not be read or written: {reason}'],
  host_key_changed: [
    'node_unreachable',
    'The host key of {host} is not the registered one. If the host was installed again, delete the node and register it again. Otherwise another system answers at this address.',
  ],
  host_key_refused: [
    'node_unreachable',
    'The host {host} does not accept the key of this installation. Run the registration command on the host again.',
  ],
  host_link_closed: ['node_unreachable', 'The connection to {host} was closed'],
  host_link_lost: ['node_unreachable', 'The connection to {host} was lost: {reason}'],
  host_needs_root: [
    'unsupported',
    'This requires root rights on {host}. Grant them on the host: echo "{user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay',
  ],
  host_no_answer: [
    'node_unreachable',
    'The host {host} does not answer: {reason}. Check its address, and its SSH server.',
  ],
  host_no_shell: ['node_unreachable', 'The host {host} does not run basic commands such as sh and id'],
  host_output: ['node_unreachable', 'A program on {host} printed more than {most} bytes and was stopped'],
  host_timeout: ['node_unreachable', 'The host {host} did not answer in time'],
  s3_endpoint: 'Enter the URL of the S3 endpoint, such as https://s3.example.com',
  secret_without_bucket: 'A folder has no secret key',
} as const
