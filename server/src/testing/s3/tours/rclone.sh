# Tour with rclone. The environment configures its remote "store".
set -eu
is() { [ "$1" = "$2" ] || { echo "got $1, expected $2" >&2; exit 1; }; }
rc() { rclone --quiet --retries 1 --low-level-retries 1 --config /dev/null --s3-upload-cutoff 8M --s3-chunk-size 5M "$@"; }

rc mkdir store:tour-rclone
mkdir -p tree/deep/er
head -c 18000000 /dev/urandom > tree/large
for name in 'a name with + and ü' 'per%cent' 'star*' "quote'" 'x&y'; do echo "$name" > "tree/deep/er/$name"; done
rc copy tree store:tour-rclone/tree
rc check --download tree store:tour-rclone/tree
rc check tree store:tour-rclone/tree
is "$(rc lsf -R --files-only store:tour-rclone | wc -l)" 6
is "$(rc lsf store:tour-rclone/tree/deep/)" er/
is "$(rc size --json store:tour-rclone | grep -o '"count":[0-9]*')" '"count":6'
rm 'tree/deep/er/star*' && rc sync tree store:tour-rclone/tree
is "$(rc lsf -R --files-only store:tour-rclone | wc -l)" 5
rc moveto store:tour-rclone/tree/large store:tour-rclone/moved
rc copyto store:tour-rclone/moved store:tour-rclone/copied
rc cat --offset 1000000 --count 1000 store:tour-rclone/copied > part
head -c 1001000 tree/large | tail -c 1000 | cmp - part
head -c 12000000 tree/large | rc rcat store:tour-rclone/from-a-stream
is "$(rc size --json store:tour-rclone/from-a-stream | grep -o '"bytes":[0-9]*')" '"bytes":12000000'
curl -sf "$(rc link store:tour-rclone/moved --expire 1m)" | cmp - tree/large
rc deletefile store:tour-rclone/copied
rc purge store:tour-rclone
is "$(rc lsf store: | grep -c tour-rclone || true)" 0
echo done
